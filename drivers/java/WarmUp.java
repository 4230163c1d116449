import java.nio.ByteBuffer;
import java.security.KeyStore;

/**
 * Lets the machine compile what it is going to run. It interprets at first, and compiles what has run a few thousand
 * times: a process that is measured for milliseconds would show nothing of that.
 */
final class WarmUp {
  private static final int TICKET = 2;
  private static final String ECDSA = "ecdsa_secp256r1_sha256", RSA = "rsa_pss_rsae_sha256";
  private static final String X25519 = "x25519", P256 = "secp256r1";
  private static final String[] SUITES = {
    "TLS_AES_128_GCM_SHA256", "TLS_AES_256_GCM_SHA384", "TLS_CHACHA20_POLY1305_SHA256"
  };
  private static final String ECDSA_AES_128 = "TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256";
  private static final int CHAIN_AND_NAME = 2;
  private static final char[] PASSWORD = "warm-up".toCharArray();
  private static final String NAME = "warm-up.test";
  private static final int WRITE = 16384, ROOM = 4 * WRITE;

  private final KeyStore keys = KeyStore.getInstance("PKCS12");
  private final long deadline;
  private final ByteBuffer toServer = ByteBuffer.allocateDirect(ROOM);
  private final ByteBuffer toClient = ByteBuffer.allocateDirect(ROOM);
  private final ByteBuffer plaintext = ByteBuffer.allocateDirect(WRITE);
  private final ByteBuffer received = ByteBuffer.allocateDirect(ROOM);

  private WarmUp(long deadline) throws Exception {
    this.deadline = deadline;
    try (var file = WarmUp.class.getResourceAsStream("warm-up.p12")) {
      keys.load(file, PASSWORD);
    }
  }

  /** Ends after so many connections and writes, or at the latest after so many seconds. */
  static void run(int seconds) throws Exception {
    var warmUp = new WarmUp(System.nanoTime() + seconds * 1_000_000_000L);
    for (int turn = 0; turn < 4; turn++) {
      warmUp.handshakes("ecdsa", X25519, 0, 150);
      warmUp.handshakes("rsa", X25519, CHAIN_AND_NAME, 60);
      warmUp.handshakes("ecdsa", P256, CHAIN_AND_NAME, 60);
      warmUp.olderHandshakes(60);
      warmUp.resumptions(pins("ecdsa", Pins.TLS13, SUITES[0], X25519, 0, TICKET), 60);
      warmUp.resumptions(pins("ecdsa", Pins.TLS12, ECDSA_AES_128, P256, 0, TICKET), 60);
      for (var suite : SUITES) warmUp.transfers(suite, 1000);
    }
  }

  private void handshakes(String kind, String group, int verification, int count) throws Exception {
    handshakes(kind, pins(kind, Pins.TLS13, SUITES[0], group, verification, 0), count);
  }

  private void olderHandshakes(int count) throws Exception {
    handshakes("ecdsa", pins("ecdsa", Pins.TLS12, ECDSA_AES_128, P256, CHAIN_AND_NAME, 0), count);
  }

  private void handshakes(String kind, Pinned pins, int count) throws Exception {
    var client = client(kind, pins);
    var server = server(kind, pins);
    for (int done = 0; done < count && inTime(); done++) connect(Connection.make(client), Connection.make(server));
  }

  private void resumptions(Pinned pins, int count) throws Exception {
    var client = client("ecdsa", pins);
    var server = server("ecdsa", pins);
    var before = Connection.make(client);
    connect(before, Connection.make(server));
    for (int done = 0; done < count && inTime(); done++) {
      var next = Connection.resume(client, before.session());
      connect(next, Connection.make(server));
      before = next;
    }
  }

  private void transfers(String suite, int count) throws Exception {
    var pins = pins("ecdsa", Pins.TLS13, suite, X25519, 0, 0);
    Connection[] ends = {Connection.make(client("ecdsa", pins)), Connection.make(server("ecdsa", pins))};
    connect(ends[0], ends[1]);
    for (int done = 0; done < count && inTime(); done++) {
      long sent = ends[done % 2].send(plaintext, 0, WRITE, toServer, 0, ROOM);
      ends[1 - done % 2].receive(toServer, 0, (int) sent, received, 0, ROOM);
    }
  }

  private boolean inTime() {
    return System.nanoTime() < deadline;
  }

  /** Flights back and forth until both sides are done, and what the server still sends then. */
  private void connect(Connection client, Connection server) throws Exception {
    long flight = client.handshake(null, 0, 0, toServer, 0, ROOM);
    boolean isDone = false;
    while (true) {
      long answer = server.handshake(toServer, 0, end(flight), toClient, 0, ROOM);
      if (isDone) {
        client.receive(toClient, 0, end(answer), received, 0, ROOM);
        return;
      }
      flight = client.handshake(toClient, 0, end(answer), toServer, 0, ROOM);
      isDone = flight < 0;
      // In a full handshake of TLS 1.2 the client is the last to be done, and has nothing more to send.
      if (isDone && end(flight) == 0) return;
    }
  }

  private static int end(long answer) {
    return (int) (answer < 0 ? ~answer : answer);
  }

  /** In the order of Pins. */
  private record Pinned(String[] names, int[] numbers) {}

  private static Pinned pins(String kind, String version, String suite, String group, int verification, int resumption) {
    boolean rsa = kind.equals("rsa");
    int tickets = resumption == TICKET ? 1 : 0;
    String[] names = {version, suite, group, rsa ? RSA : ECDSA, null};
    return new Pinned(names, new int[] {rsa ? 2048 : 256, verification, tickets, resumption, 0, 0});
  }

  private Context client(String kind, Pinned pins) throws Exception {
    var root = keys.getCertificate(kind + "-root").getEncoded();
    return Context.side(true, pins.names, pins.numbers, root, NAME, new byte[0][], new byte[0]);
  }

  private Context server(String kind, Pinned pins) throws Exception {
    var alias = kind + "-leaf";
    byte[][] chain = {keys.getCertificate(alias).getEncoded()};
    return Context.side(
        false, pins.names, pins.numbers, new byte[0], NAME, chain, keys.getKey(alias, PASSWORD).getEncoded());
  }
}
