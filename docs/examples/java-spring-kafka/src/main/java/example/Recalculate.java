package example;

import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.kafka.annotation.KafkaListener;
import org.springframework.kafka.core.KafkaTemplate;

/**
 * Recalculates a portfolio over Kafka alone (docs/bulk-events.md):
 *
 * <pre>KAFKA_BROKERS=127.0.0.1:9092 mvn -q compile exec:java -Dexec.args="portfolio.ndjson results.ndjson"</pre>
 *
 * A line of the portfolio is a contract, {"id": ..., "jsonParam": {...}}. Each gives exactly one line of results, {"id",
 * "schedule"}, or of results.ndjson.failures.ndjson, {"line", "id", "problem"}, in the order of the replies. Exit code: 0
 * all well, 1 some contracts failed, 2 wrong usage, 3 given up.
 */
public final class Recalculate {
  /** Ours alone, and for one run at a time: two in one group would share out the partitions, and so the replies. */
  static final String REPLY_TOPIC = "${REPLY_TOPIC:upstream.recalculation.replies.v1}";

  private static final int REPLIES_READ_AHEAD = 4;

  private Recalculate() {}

  public static void main(String[] args) throws IOException, InterruptedException {
    if (args.length != 2 || !Files.isReadable(Path.of(args[0]))) {
      System.err.println("Usage: KAFKA_BROKERS=host:port mvn -q compile exec:java -Dexec.args=\"PORTFOLIO RESULTS\"");
      System.exit(2);
    }
    System.exit(run(Path.of(args[0]), Path.of(args[1])));
  }

  private static int run(Path portfolio, Path output) throws IOException, InterruptedException {
    try (InputStream lines = new BufferedInputStream(Files.newInputStream(portfolio));
        PrintWriter results = writer(output);
        PrintWriter failures = writer(Path.of(output + ".failures.ndjson"));
        var context = new AnnotationConfigApplicationContext(KafkaBeans.class, Beans.class)) {
      @SuppressWarnings("unchecked")
      KafkaTemplate<String, String> template = context.getBean(KafkaTemplate.class);
      Replies replies = context.getBean(Replies.class);
      String replyTopic = context.getEnvironment().resolvePlaceholders(REPLY_TOPIC);
      var recalculation = new Recalculation(template, replyTopic, lines, results, failures);
      int exitCode;
      try {
        recalculation.run(replies.queue);
        exitCode = recalculation.hasFailures() ? 1 : 0;
      } catch (Recalculation.GivenUpException e) {
        System.err.println("given up: " + e.getMessage());
        exitCode = 3;
      }
      System.err.println(recalculation.summary());
      if (results.checkError() || failures.checkError()) {
        System.err.println("given up: the results could not be written");
        return 3;
      }
      return exitCode;
    }
  }

  private static PrintWriter writer(Path file) throws IOException {
    return new PrintWriter(Files.newBufferedWriter(file, StandardCharsets.UTF_8));
  }

  @Configuration
  static class Beans {
    @Bean
    Replies replies() {
      return new Replies();
    }
  }

  /** Hands replies to the thread that does everything else; while that is busy, the consumer waits. */
  static class Replies {
    final BlockingQueue<ConsumerRecord<String, String>> queue = new ArrayBlockingQueue<>(REPLIES_READ_AHEAD);

    @KafkaListener(topics = REPLY_TOPIC, groupId = REPLY_TOPIC + ".reader")
    void take(ConsumerRecord<String, String> reply) throws InterruptedException {
      queue.put(reply);
    }
  }
}
