import java.nio.ByteBuffer;
import java.security.KeyStore;

/**
 * Lets the machine compile what it is going to run. It interprets at first, and compiles what has run a few thousand
 * times: a process that is measured for milliseconds would show nothing of that.
 */
final class WarmUp {
  private static final int VERSION = 0x0304;
  private static final int ECDSA = 0x0403, RSA = 0x0804;
  private static final int X25519 = 0x001d, P256 = 0x0017;
  private static final int[] SUITES = {0x1301, 0x1302, 0x1303};
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
      for (int suite : SUITES) warmUp.transfers(suite, 1000);
    }
  }

  private void handshakes(String kind, int group, int verification, int count) throws Exception {
    var client = client(kind, SUITES[0], group, verification);
    var server = server(kind, SUITES[0], group);
    for (int done = 0; done < count && inTime(); done++) connect(client, server);
  }

  private void transfers(int suite, int count) throws Exception {
    var ends = connect(client("ecdsa", suite, X25519, 0), server("ecdsa", suite, X25519));
    for (int done = 0; done < count && inTime(); done++) {
      long sent = ends[done % 2].send(plaintext, 0, WRITE, toServer, 0, ROOM);
      ends[1 - done % 2].receive(toServer, 0, (int) sent, received, 0, ROOM);
    }
  }

  private boolean inTime() {
    return System.nanoTime() < deadline;
  }

  private Connection[] connect(Context clients, Context servers) throws Exception {
    var client = Connection.make(clients);
    var server = Connection.make(servers);
    long hello = client.handshake(null, 0, 0, toServer, 0, ROOM);
    long flight = server.handshake(toServer, 0, (int) hello, toClient, 0, ROOM);
    long finished = ~client.handshake(toClient, 0, (int) flight, toServer, 0, ROOM);
    server.handshake(toServer, 0, (int) finished, toClient, 0, ROOM);
    return new Connection[] {client, server};
  }

  private Context client(String kind, int suite, int group, int verification) throws Exception {
    var root = keys.getCertificate(kind + "-root").getEncoded();
    return Context.client(VERSION, suite, group, scheme(kind), verification, root, NAME);
  }

  private Context server(String kind, int suite, int group) throws Exception {
    var alias = kind + "-leaf";
    byte[][] chain = {keys.getCertificate(alias).getEncoded()};
    var key = keys.getKey(alias, PASSWORD).getEncoded();
    return Context.server(VERSION, suite, group, scheme(kind), 0, kind.equals("rsa") ? 2048 : 256, chain, key);
  }

  private static int scheme(String kind) {
    return kind.equals("rsa") ? RSA : ECDSA;
  }
}
