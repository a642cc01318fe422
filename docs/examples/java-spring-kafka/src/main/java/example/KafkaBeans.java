package example;

import java.util.Map;
import org.apache.kafka.clients.CommonClientConfigs;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.common.config.TopicConfig;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.apache.kafka.common.serialization.StringSerializer;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.kafka.annotation.EnableKafka;
import org.springframework.kafka.config.ConcurrentKafkaListenerContainerFactory;
import org.springframework.kafka.config.TopicBuilder;
import org.springframework.kafka.core.ConsumerFactory;
import org.springframework.kafka.core.DefaultKafkaConsumerFactory;
import org.springframework.kafka.core.DefaultKafkaProducerFactory;
import org.springframework.kafka.core.KafkaAdmin;
import org.springframework.kafka.core.KafkaTemplate;
import org.springframework.kafka.core.ProducerFactory;

/** What both programs share: the brokers, our own reply topic, a producer and a consumer of text. */
@Configuration
@EnableKafka
class KafkaBeans {
  private static final int MIB = 1024 * 1024;
  private static final long DAY_MS = 24 * 3_600_000L;

  @Value("${KAFKA_BROKERS:127.0.0.1:9092}")
  private String brokers;

  /** Makes the topics of this context that are missing, before anything is sent. */
  @Bean
  KafkaAdmin admin() {
    var admin = new KafkaAdmin(Map.of(CommonClientConfigs.BOOTSTRAP_SERVERS_CONFIG, brokers));
    admin.setFatalIfBrokerNotAvailable(true);
    return admin;
  }

  /** Replies come in packed batches (gzip), each at most 8 MiB. */
  @Bean
  NewTopic replyTopic(@Value(Recalculate.REPLY_TOPIC) String name) {
    return TopicBuilder.name(name)
        .partitions(3)
        .config(TopicConfig.MAX_MESSAGE_BYTES_CONFIG, String.valueOf(8 * MIB))
        .config(TopicConfig.RETENTION_MS_CONFIG, String.valueOf(DAY_MS))
        .build();
  }

  @Bean
  ProducerFactory<String, String> producerFactory() {
    Map<String, Object> settings =
        Map.of(
            ProducerConfig.BOOTSTRAP_SERVERS_CONFIG, brokers,
            // 500 contracts with all their commissions and rates may be more than the client's own 1 MiB.
            ProducerConfig.MAX_REQUEST_SIZE_CONFIG, 4 * MIB);
    return new DefaultKafkaProducerFactory<>(settings, new StringSerializer(), new StringSerializer());
  }

  /** Begins with the first reply that its group has not seen: none is missed, however early it comes. */
  @Bean
  ConsumerFactory<String, String> consumerFactory() {
    Map<String, Object> settings =
        Map.of(
            ConsumerConfig.BOOTSTRAP_SERVERS_CONFIG, brokers,
            ConsumerConfig.AUTO_OFFSET_RESET_CONFIG, "earliest");
    return new DefaultKafkaConsumerFactory<>(settings, new StringDeserializer(), new StringDeserializer());
  }

  @Bean
  ConcurrentKafkaListenerContainerFactory<String, String> kafkaListenerContainerFactory(
      ConsumerFactory<String, String> consumerFactory) {
    var factory = new ConcurrentKafkaListenerContainerFactory<String, String>();
    factory.setConsumerFactory(consumerFactory);
    return factory;
  }

  @Bean
  KafkaTemplate<String, String> kafkaTemplate(ProducerFactory<String, String> producerFactory) {
    return new KafkaTemplate<>(producerFactory);
  }
}
