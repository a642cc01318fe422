package bench;

import java.time.Duration;
import java.util.Arrays;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Profile;
import org.springframework.kafka.config.ConcurrentKafkaListenerContainerFactory;
import org.springframework.kafka.core.ProducerFactory;
import org.springframework.kafka.requestreply.ReplyingKafkaTemplate;
import org.springframework.stereotype.Component;

/** Sends requests of a given size with Spring's own request-reply. */
@Component
@Profile("http")
class Requests {
  private static final Duration ASSIGNMENT_LIMIT = Duration.ofSeconds(30);
  private static final Duration REPLY_LIMIT = Duration.ofSeconds(30);

  private final ReplyingKafkaTemplate<String, byte[], byte[]> template;
  private final String topic;
  private final byte[] payload;

  Requests(
      ReplyingKafkaTemplate<String, byte[], byte[]> template,
      @Value("${REQUEST_TOPIC}") String topic,
      @Value("${REQUEST_BYTES}") int bytes) {
    this.template = template;
    this.topic = topic;
    payload = new byte[bytes];
    Arrays.fill(payload, (byte) 'a');
  }

  /** Completes with the bytes of the reply. */
  CompletableFuture<byte[]> send() {
    var request = new ProducerRecord<>(topic, UUID.randomUUID().toString(), payload);
    return template.sendAndReceive(request).thenApply(ConsumerRecord::value);
  }

  /** Waits until the consumer of replies has its partitions, since it receives no reply before. */
  void waitForAssignment() throws InterruptedException {
    if (!template.waitForAssignment(ASSIGNMENT_LIMIT)) {
      throw new IllegalStateException("no partitions of the reply topic are assigned");
    }
  }

  @Configuration
  @Profile("http")
  static class Template {
    @Bean
    ReplyingKafkaTemplate<String, byte[], byte[]> replyingTemplate(
        ProducerFactory<String, byte[]> producers,
        ConcurrentKafkaListenerContainerFactory<String, byte[]> containers,
        @Value("${REPLY_TOPIC}") String replyTopic) {
      var replies = containers.createContainer(replyTopic);
      replies.getContainerProperties().setGroupId(replyTopic + "." + UUID.randomUUID());
      var template = new ReplyingKafkaTemplate<>(producers, replies);
      template.setDefaultReplyTimeout(REPLY_LIMIT);
      return template;
    }
  }
}
