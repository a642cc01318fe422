package bench;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.util.function.UnaryOperator;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;

/** Runs one part of the pair, by profile: {@code http}, {@code template} or {@code echo}. */
@SpringBootApplication
public class SpringPeer {
  public static void main(String[] args) {
    SpringApplication.run(SpringPeer.class, args);
  }

  /** Tells the parent process that this part is ready, answers each line that it sends, and exits when it does. */
  static void ready(String detail, UnaryOperator<String> answer) {
    new Thread(() -> obey(answer)).start();
    System.out.println("READY " + detail);
  }

  private static void obey(UnaryOperator<String> answer) {
    try (var commands = new BufferedReader(new InputStreamReader(System.in))) {
      for (String line = commands.readLine(); line != null; line = commands.readLine()) {
        System.out.println(answer.apply(line));
      }
    } catch (IOException e) {
      e.printStackTrace();
    }
    System.exit(0);
  }
}
