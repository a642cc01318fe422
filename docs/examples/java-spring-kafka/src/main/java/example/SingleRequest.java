package example;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.UUID;
import java.util.concurrent.ExecutionException;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.header.Header;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.kafka.config.ConcurrentKafkaListenerContainerFactory;
import org.springframework.kafka.core.ProducerFactory;
import org.springframework.kafka.requestreply.ReplyingKafkaTemplate;

/**
 * One request with a waiting caller, by Spring's own request-reply (docs/bulk-events.md):
 *
 * <pre>KAFKA_BROKERS=127.0.0.1:9092 mvn -q compile exec:java -Dexec.mainClass=example.SingleRequest</pre>
 */
public final class SingleRequest {
  private static final String REQUEST_TOPIC = "${REQUEST_TOPIC:plat.schedule.requests.v1}";
  private static final Duration PATIENCE = Duration.ofSeconds(10);
  private static final String REQUEST =
      """
      {"jsonParam": {"ScheduleType": "EqualInstallments", "ProductType": "TL", "InterestPercent": 7, "Amount": 100,
        "InstallmentsNo": 6, "PeriodicityType": "Monthly", "InstallmentDay": 1, "ActivationDate": "2024-01-01"}}""";

  private SingleRequest() {}

  public static void main(String[] args) throws InterruptedException {
    System.exit(run(args.length == 0 ? REQUEST : args[0]));
  }

  private static int run(String body) throws InterruptedException {
    try (var context = new AnnotationConfigApplicationContext(KafkaBeans.class, Beans.class)) {
      @SuppressWarnings("unchecked")
      ReplyingKafkaTemplate<String, String, String> template = context.getBean(ReplyingKafkaTemplate.class);
      String topic = context.getEnvironment().resolvePlaceholders(REQUEST_TOPIC);
      // A reply that comes before the consumer has its partitions would be missed.
      template.waitForAssignment(PATIENCE);
      var request = new ProducerRecord<String, String>(topic, "loan-4711", body);
      // Correlation id, reply topic and time-out are Spring's; only the type of the message is ours.
      request
          .headers()
          .add("plat-message-type", "CalculateRepaymentScheduleRequest".getBytes(StandardCharsets.UTF_8));
      ConsumerRecord<String, String> reply = template.sendAndReceive(request).get();
      System.out.println(reply.value());
      return 0;
    } catch (ExecutionException e) {
      System.err.println(e.getCause().getMessage());
      return 1;
    }
  }

  @Configuration
  static class Beans {
    /** Every instance reads all replies and leaves those of others: no partition has to be given to anyone. */
    @Bean
    ReplyingKafkaTemplate<String, String, String> replyingTemplate(
        ProducerFactory<String, String> producers,
        ConcurrentKafkaListenerContainerFactory<String, String> containers,
        @Value(Recalculate.REPLY_TOPIC) String replyTopic) {
      var replies = containers.createContainer(replyTopic);
      replies.getContainerProperties().setGroupId(replyTopic + "." + UUID.randomUUID());
      replies
          .getContainerProperties()
          .getKafkaConsumerProperties()
          .setProperty(ConsumerConfig.AUTO_OFFSET_RESET_CONFIG, "latest");
      var template = new ReplyingKafkaTemplate<String, String, String>(producers, replies);
      template.setSharedReplyTopic(true);
      template.setDefaultReplyTimeout(PATIENCE);
      template.setReplyErrorChecker(
          reply -> {
            Header code = reply.headers().lastHeader("plat-error-code");
            return code == null ? null : new IllegalStateException(String.valueOf(reply.value()));
          });
      return template;
    }
  }
}
