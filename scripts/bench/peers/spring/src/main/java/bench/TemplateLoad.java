package bench;

import java.util.Arrays;
import java.util.Locale;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import org.springframework.boot.context.event.ApplicationReadyEvent;
import org.springframework.context.annotation.Profile;
import org.springframework.context.event.EventListener;
import org.springframework.stereotype.Component;

/**
 * A closed loop without HTTP: the next request of a slot leaves when its reply has arrived, on the thread that received it.
 * Each line on standard input, {@code WINDOW MILLISECONDS}, starts a run; its figures are one line of JSON.
 */
@Component
@Profile("template")
class TemplateLoad {
  private static final double NS_PER_MS = 1_000_000;

  private final Requests requests;

  TemplateLoad(Requests requests) {
    this.requests = requests;
  }

  @EventListener
  void started(ApplicationReadyEvent event) throws InterruptedException {
    requests.waitForAssignment();
    SpringPeer.ready("template", this::obey);
  }

  private String obey(String line) {
    String[] words = line.split(" ");
    return run(Integer.parseInt(words[0]), Long.parseLong(words[1]));
  }

  private String run(int window, long forMs) {
    var latencies = new ConcurrentLinkedQueue<Long>();
    var done = new CountDownLatch(window);
    long startedAt = System.nanoTime();
    long endAt = startedAt + (long) (forMs * NS_PER_MS);
    for (int slot = 0; slot < window; slot += 1) next(endAt, latencies, done);
    awaitAll(done);
    double seconds = (System.nanoTime() - startedAt) / NS_PER_MS / 1_000;
    long[] sorted = latencies.stream().mapToLong(Long::longValue).toArray();
    Arrays.sort(sorted);
    return String.format(
        Locale.ROOT,
        "{\"perSecond\": %.3f, \"p50Ms\": %.4f, \"p99Ms\": %.4f}",
        sorted.length / seconds, quantile(sorted, 0.5), quantile(sorted, 0.99));
  }

  private void next(long endAt, ConcurrentLinkedQueue<Long> latencies, CountDownLatch done) {
    long sentAt = System.nanoTime();
    if (sentAt >= endAt) {
      done.countDown();
      return;
    }
    requests
        .send()
        .whenComplete(
            (reply, error) -> {
              if (error != null) {
                error.printStackTrace();
                System.exit(1);
              }
              latencies.add(System.nanoTime() - sentAt);
              next(endAt, latencies, done);
            });
  }

  private static void awaitAll(CountDownLatch done) {
    try {
      done.await();
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  private static double quantile(long[] sorted, double share) {
    return sorted.length == 0 ? Double.NaN : sorted[(int) (share * (sorted.length - 1))] / NS_PER_MS;
  }
}
