package bench;

import java.util.concurrent.ExecutionException;
import org.springframework.boot.web.servlet.context.ServletWebServerApplicationContext;
import org.springframework.boot.context.event.ApplicationReadyEvent;
import org.springframework.context.annotation.Profile;
import org.springframework.context.event.EventListener;
import org.springframework.http.MediaType;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RestController;

/** Reads the body of a call, sends a constant request, waits on the thread of the call, and returns the reply. */
@RestController
@Profile("http")
class HttpEndpoint {
  private final Requests requests;
  private final ServletWebServerApplicationContext server;

  HttpEndpoint(Requests requests, ServletWebServerApplicationContext server) {
    this.requests = requests;
    this.server = server;
  }

  @PostMapping(path = "/call", produces = MediaType.APPLICATION_JSON_VALUE)
  byte[] call(@RequestBody byte[] body) throws InterruptedException, ExecutionException {
    return requests.send().get();
  }

  @EventListener
  void started(ApplicationReadyEvent event) throws InterruptedException {
    requests.waitForAssignment();
    SpringPeer.ready("http://127.0.0.1:" + server.getWebServer().getPort() + "/call");
  }
}
