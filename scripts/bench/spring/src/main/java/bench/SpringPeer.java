package bench;

import java.io.IOException;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;

/** Runs one part of the pair, by profile: {@code http} or {@code echo}. */
@SpringBootApplication
public class SpringPeer {
  public static void main(String[] args) {
    SpringApplication.run(SpringPeer.class, args);
  }

  /** Tells the parent process that this part is ready. When the parent ends, stdin closes, and this part exits. */
  static void ready(String detail) {
    new Thread(SpringPeer::exitWithParent).start();
    System.out.println("READY " + detail);
  }

  private static void exitWithParent() {
    try {
      while (System.in.read() >= 0) {}
    } catch (IOException e) {
      e.printStackTrace();
    }
    System.exit(0);
  }
}
