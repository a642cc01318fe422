package example;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.PrintWriter;
import java.math.BigInteger;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.header.Header;
import org.springframework.kafka.core.KafkaTemplate;
import org.springframework.kafka.support.KafkaHeaders;
import tools.jackson.core.JacksonException;
import tools.jackson.core.StreamWriteFeature;
import tools.jackson.core.json.JsonWriteFeature;
import tools.jackson.databind.DeserializationFeature;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.cfg.JsonNodeFeature;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ObjectNode;

/** One run: one thread that sends, takes replies and repeats. */
final class Recalculation {
  private static final String REQUEST_TOPIC = setting("REQUEST_TOPIC", "plat.schedule.requests.bulk.v1");
  /** 1 to 500 contracts fit a message; the rows bound its reply, which has some 330 bytes for each of them. */
  private static final int CONTRACTS_PER_MESSAGE = Integer.parseInt(setting("CONTRACTS_PER_MESSAGE", "100"));
  private static final int ROWS_PER_MESSAGE = 12_000;
  /** Fewer would leave workers idle; more only wait longer. */
  private static final int MESSAGES_IN_FLIGHT = Integer.parseInt(setting("MESSAGES_IN_FLIGHT", "16"));
  /** A message without a reply is repeated after this, then after twice as long each time up to the longest. */
  private static final long REPEAT_AFTER_MS = Long.parseLong(setting("REPEAT_AFTER_MS", "30000"));
  private static final long LONGEST_REPEAT_MS = 300_000;
  /** What is refused but may succeed later waits so long, then twice as long each time. */
  private static final long BACKOFF_MS = 1_000;
  /** Without any reply for this long, no worker seems to be running. */
  private static final Duration PATIENCE = Duration.ofMillis(Long.parseLong(setting("PATIENCE_MS", "600000")));
  private static final long LOOK_EVERY_MS = 500;
  /** In UTF-16 units, as the engine counts. */
  private static final int MAX_ID_LENGTH = 200;
  private static final BigInteger MAX_SAFE_INTEGER = BigInteger.TWO.pow(53).subtract(BigInteger.ONE);

  /** Numbers are BigDecimal with all their digits, so that 100.00 stays 100.00. */
  private static final JsonMapper JSON =
      JsonMapper.builder()
          .enable(DeserializationFeature.USE_BIG_DECIMAL_FOR_FLOATS)
          .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
          .disable(JsonNodeFeature.STRIP_TRAILING_BIGDECIMAL_ZEROES)
          .enable(StreamWriteFeature.WRITE_BIGDECIMAL_AS_PLAIN)
          // Half a surrogate pair, which JSON allows as an escape, cannot be written otherwise.
          .enable(JsonWriteFeature.ESCAPE_NON_ASCII)
          .build();

  /** What depends on today is calculated for this moment; the same moment again gives the same answers again. */
  private final String runTimeMs = setting("RUN_TIME_MS", String.valueOf(System.currentTimeMillis()));
  private final String run = UUID.randomUUID().toString().substring(0, 8);
  private final Map<String, Batch> waiting = new LinkedHashMap<>();
  private final Deque<Batch> halves = new ArrayDeque<>();
  private final KafkaTemplate<String, String> template;
  private final String replyTopic;
  private final InputStream lines;
  private final PrintWriter results;
  private final PrintWriter failures;
  /** The first contract of the next message. */
  private Contract ahead;
  private long lastReplyAt = now();
  private int read;
  private int messages;
  private int calculated;
  private int failed;
  private int repeated;
  private int dropped;

  /** The line itself is an item of the message, so that no figure is written anew. */
  private record Contract(int line, JsonNode id, String text, int rows) {}

  private static final class Batch {
    final String correlationId;
    final List<Contract> contracts;
    int sent;
    long dueAt;

    Batch(String correlationId, List<Contract> contracts) {
      this.correlationId = correlationId;
      this.contracts = contracts;
    }
  }

  /** No replies come any more, or one that does not fit its request. */
  static final class GivenUpException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    GivenUpException(String message) {
      super(message);
    }
  }

  Recalculation(
      KafkaTemplate<String, String> template,
      String replyTopic,
      InputStream lines,
      PrintWriter results,
      PrintWriter failures) {
    this.template = template;
    this.replyTopic = replyTopic;
    this.lines = lines;
    this.results = results;
    this.failures = failures;
  }

  /** Keeps the window full until everything is answered. Throws GivenUpException when replies have stopped coming. */
  void run(BlockingQueue<ConsumerRecord<String, String>> replies) throws IOException, InterruptedException {
    while (true) {
      while (waiting.size() < MESSAGES_IN_FLIGHT) {
        Batch batch = halves.isEmpty() ? nextBatch() : halves.remove();
        if (batch == null) {
          break;
        }
        waiting.put(batch.correlationId, batch);
        messages++;
        send(batch);
      }
      if (waiting.isEmpty()) {
        return;
      }
      ConsumerRecord<String, String> reply = replies.poll(LOOK_EVERY_MS, TimeUnit.MILLISECONDS);
      if (reply != null) {
        take(reply);
      }
      repeatLate();
    }
  }

  boolean hasFailures() {
    return failed > 0;
  }

  String summary() {
    return "run %s of %s: {\"read\":%d,\"calculated\":%d,\"failed\":%d,\"messages\":%d,\"repeated\":%d,\"dropped\":%d}"
        .formatted(run, runTimeMs, read, calculated, failed, messages, repeated, dropped);
  }

  private void repeatLate() {
    if (now() - lastReplyAt > PATIENCE.toMillis()) {
      throw new GivenUpException("no reply for " + PATIENCE + "; " + waiting.size() + " messages are unanswered");
    }
    for (Batch batch : waiting.values()) {
      if (now() >= batch.dueAt) {
        repeated++;
        send(batch);
      }
    }
  }

  /** Sends a message, for the first time or again: always the same bytes and headers, so always the same answer. */
  private void send(Batch batch) {
    batch.dueAt = now() + doubled(REPEAT_AFTER_MS, batch.sent);
    batch.sent++;
    String value = "[" + String.join(",", batch.contracts.stream().map(Contract::text).toList()) + "]";
    // A key of its own spreads messages over the partitions: those of one key are calculated one after another.
    var request = new ProducerRecord<>(REQUEST_TOPIC, batch.correlationId, value);
    addHeader(request, KafkaHeaders.CORRELATION_ID, batch.correlationId);
    addHeader(request, KafkaHeaders.REPLY_TOPIC, replyTopic);
    addHeader(request, "plat-message-type", "CalculateRepaymentScheduleRequest");
    addHeader(request, "plat-origin-timestamp", runTimeMs);
    template
        .send(request)
        .whenComplete(
            (stored, error) -> {
              if (error != null) {
                System.err.printf("message %s was not sent, it will be again: %s%n", batch.correlationId, error);
              }
            });
  }

  private void take(ConsumerRecord<String, String> reply) {
    Batch batch = waiting.get(header(reply, KafkaHeaders.CORRELATION_ID));
    if (batch == null) {
      // A second copy, or of another run: deliveries are at least once, and repeats make more.
      dropped++;
      return;
    }
    lastReplyAt = now();
    boolean isError = header(reply, "plat-error-code") != null;
    if (isError && "true".equals(header(reply, "plat-error-retryable"))) {
      batch.dueAt = now() + doubled(BACKOFF_MS, batch.sent);
      return;
    }
    waiting.remove(batch.correlationId);
    JsonNode body = JSON.readTree(reply.value());
    if (isError) {
      divide(batch, body);
    } else {
      settle(batch, body);
    }
  }

  /** Items come in the order of the contracts. Each has the id that was sent, or none where it could not be read. */
  private void settle(Batch batch, JsonNode items) {
    if (items.size() != batch.contracts.size()) {
      throw new GivenUpException("the reply to " + batch.correlationId + " has another length");
    }
    for (int i = 0; i < items.size(); i++) {
      JsonNode item = items.get(i);
      Contract contract = batch.contracts.get(i);
      if (item.has("id") && !contract.id.equals(item.get("id"))) {
        throw new GivenUpException("the reply to " + batch.correlationId + " has another id at " + i);
      }
      if (item.path("status").asInt() != 200) {
        fail(contract.line, contract.id, item.path("body"));
        continue;
      }
      calculated++;
      ObjectNode result = JSON.createObjectNode().set("id", contract.id).set("schedule", item.path("body"));
      JsonNode warnings = item.path("headers").get("plat-warnings");
      results.println(JSON.writeValueAsString(warnings == null ? result : result.set("warnings", warnings)));
    }
  }

  /** The message as a whole was refused, such as `reply-too-large`. Halves may do; a single contract has failed. */
  private void divide(Batch batch, JsonNode problem) {
    int size = batch.contracts.size();
    if (size == 1) {
      fail(batch.contracts.get(0).line, batch.contracts.get(0).id, problem);
      return;
    }
    int middle = (size + 1) / 2;
    halves.add(new Batch(batch.correlationId + "a", batch.contracts.subList(0, middle)));
    halves.add(new Batch(batch.correlationId + "b", batch.contracts.subList(middle, size)));
  }

  /** Null at the end of the portfolio. */
  private Batch nextBatch() throws IOException {
    List<Contract> contracts = new ArrayList<>();
    int rows = 0;
    for (Contract contract = nextContract(); contract != null; contract = nextContract()) {
      boolean isFull = contracts.size() == CONTRACTS_PER_MESSAGE || rows + contract.rows > ROWS_PER_MESSAGE;
      if (isFull && !contracts.isEmpty()) {
        ahead = contract;
        break;
      }
      contracts.add(contract);
      rows += contract.rows;
    }
    return contracts.isEmpty() ? null : new Batch(run + "-" + (messages + 1), contracts);
  }

  private Contract nextContract() throws IOException {
    if (ahead != null) {
      Contract contract = ahead;
      ahead = null;
      return contract;
    }
    for (byte[] line = readLine(); line != null; line = readLine()) {
      read++;
      Contract contract = readContract(line, read);
      if (contract != null) {
        return contract;
      }
      ObjectNode problem = JSON.createObjectNode();
      fail(read, null, problem.put("code", "malformed-line").put("title", "The line is not a contract"));
    }
    return null;
  }

  /** Lines end with \n (a \r before it is a blank to JSON) and with nothing else. Null at the end. */
  private byte[] readLine() throws IOException {
    var line = new ByteArrayOutputStream();
    int next = lines.read();
    if (next == -1) {
      return null;
    }
    for (; next != -1 && next != '\n'; next = lines.read()) {
      line.write(next);
    }
    return line.toByteArray();
  }

  /** Null where the line is not JSON or has no usable id. Whether the request is right is for the engine to say. */
  private static Contract readContract(byte[] bytes, int line) {
    try {
      String decoded = StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(bytes)).toString();
      // Without the byte order mark that some editors put before the first line.
      String text = decoded.startsWith("\uFEFF") ? decoded.substring(1) : decoded;
      JsonNode given = JSON.readTree(text);
      JsonNode id = given.path("id");
      boolean isText = id.isString() && !id.asString().isEmpty() && id.asString().length() <= MAX_ID_LENGTH;
      boolean isNumber = id.isIntegralNumber() && id.bigIntegerValue().abs().compareTo(MAX_SAFE_INTEGER) <= 0;
      int rows = Math.max(1, given.path("jsonParam").path("InstallmentsNo").asInt(1));
      return isText || isNumber ? new Contract(line, id, text, rows) : null;
    } catch (CharacterCodingException | JacksonException e) {
      return null;
    }
  }

  private void fail(int line, JsonNode id, JsonNode problem) {
    failed++;
    ObjectNode failure = JSON.createObjectNode().put("line", line);
    if (id != null) {
      failure.set("id", id);
    }
    failures.println(JSON.writeValueAsString(failure.set("problem", problem)));
  }

  private static long doubled(long ms, int times) {
    return Math.min(ms << Math.min(times, 20), LONGEST_REPEAT_MS);
  }

  private static void addHeader(ProducerRecord<String, String> request, String name, String value) {
    request.headers().add(name, value.getBytes(StandardCharsets.UTF_8));
  }

  private static String header(ConsumerRecord<String, String> reply, String name) {
    Header header = reply.headers().lastHeader(name);
    return header == null ? null : new String(header.value(), StandardCharsets.UTF_8);
  }

  private static long now() {
    return System.nanoTime() / 1_000_000;
  }

  private static String setting(String name, String otherwise) {
    String value = System.getenv(name);
    return value == null ? otherwise : value;
  }
}
