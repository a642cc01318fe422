package bench;

import java.util.Arrays;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.context.annotation.Profile;
import org.springframework.context.event.EventListener;
import org.springframework.kafka.annotation.KafkaListener;
import org.springframework.kafka.event.ConsumerStartedEvent;
import org.springframework.messaging.handler.annotation.SendTo;
import org.springframework.stereotype.Component;

/** Answers each request with the same bytes. Spring adds the request's correlation id, and finds its reply topic. */
@Component
@Profile("echo")
class EchoListener {
  private final byte[] reply;

  EchoListener(@Value("${REPLY_BYTES}") int bytes) {
    reply = new byte[bytes];
    Arrays.fill(reply, (byte) 'a');
  }

  @KafkaListener(topics = "${REQUEST_TOPIC}", groupId = "${REQUEST_TOPIC}.spring-echo")
  @SendTo
  byte[] answer(byte[] request) {
    return reply;
  }

  @EventListener
  void started(ConsumerStartedEvent event) {
    SpringPeer.ready("echo");
  }
}
