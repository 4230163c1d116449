import java.nio.ByteBuffer;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.KeyStore;
import java.security.PrivateKey;
import java.security.cert.Certificate;
import java.security.interfaces.ECKey;
import java.security.interfaces.EdECKey;
import java.security.interfaces.RSAKey;
import java.security.spec.NamedParameterSpec;
import java.security.spec.PKCS8EncodedKeySpec;
import java.util.List;
import javax.net.ssl.KeyManager;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SNIHostName;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.SSLSessionContext;
import javax.net.ssl.TrustManager;
import javax.net.ssl.TrustManagerFactory;

/** State shared by the connections of one side of one scenario. */
final class Context {
  private static final int NO_CHECK = 0;
  private static final int CHAIN_AND_NAME = 2;
  /** A second more than the lifetime up to which the library sends tickets. */
  private static final int TOO_LONG_FOR_TICKETS_S = 604801;

  private static final int LAST_PORT = 65535;
  private static final int MOST_SESSIONS = 256;

  final boolean isClient;
  /** Room for one record, and for what one holds. */
  final ByteBuffer record;
  final ByteBuffer plaintext;
  private final SSLContext library;
  private final SSLParameters parameters;

  private final boolean resumes;
  private final String peer;
  private int lastPort;

  private Context(boolean isClient, boolean resumes, String peer, SSLContext library, SSLParameters parameters) {
    this.isClient = isClient;
    this.resumes = resumes;
    this.peer = peer;
    this.library = library;
    this.parameters = parameters;
    var session = library.createSSLEngine().getSession();
    record = ByteBuffer.allocate(session.getPacketBufferSize());
    plaintext = ByteBuffer.allocate(session.getApplicationBufferSize());
  }

  static Context side(
      boolean isClient, String[] names, int[] numbers, byte[] root, String serverName, byte[][] chain, byte[] key)
      throws Exception {
    var pins = Pins.of(names, numbers);
    // As the JSSE reference guide's first engines: SSLContext.getInstance("TLS") with keys and trust.
    var parameters = pins.defaults() ? new SSLParameters() : Pin.parameters(pins);
    if (isClient) parameters.setServerNames(List.of(new SNIHostName(serverName)));
    if (pins.verification() == CHAIN_AND_NAME) parameters.setEndpointIdentificationAlgorithm("HTTPS");
    if (!isClient && pins.mutual()) parameters.setNeedClientAuth(true);
    var trusting = root.length == 0 ? null : trust(root);
    var trust = isClient && pins.verification() == NO_CHECK ? new TrustManager[] {new TrustEveryone()} : trusting;
    var keys = chain.length == 0 ? null : identity(chain, key, pins.keyBits());
    var context = make(isClient, pins, isClient ? serverName : null, keys, trust, parameters);
    boolean keepsNothing = !isClient && pins.tickets() == 0 && !pins.resumes() && !pins.defaults();
    if (keepsNothing) context.library.getServerSessionContext().setSessionTimeout(TOO_LONG_FOR_TICKETS_S);
    return context;
  }

  /** An engine that resumes no session. A client's engine stores one only if it has its own address. */
  SSLEngine engine() {
    if (!resumes) return prepared(library.createSSLEngine());
    lastPort = lastPort % LAST_PORT + 1;
    return engine(lastPort);
  }

  /** An engine of a client with this port of its peer, under which the library keeps sessions. */
  SSLEngine engine(int port) {
    return prepared(library.createSSLEngine(peer, port));
  }

  private SSLEngine prepared(SSLEngine engine) {
    engine.setUseClientMode(isClient);
    engine.setSSLParameters(parameters);
    return engine;
  }

  private static Context make(
      boolean isClient, Pins pins, String peer, KeyManager[] keys, TrustManager[] trust, SSLParameters parameters)
      throws GeneralSecurityException {
    for (var side : List.of("client", "server")) {
      // Read by each context when it is made.
      System.setProperty("jdk.tls." + side + ".enableSessionTicketExtension", Boolean.toString(pins.handsOverSessions()));
    }
    var library = SSLContext.getInstance("TLS");
    library.init(keys, trust, null);
    // One is the least; none at all cannot be said.
    for (SSLSessionContext sessions : List.of(library.getClientSessionContext(), library.getServerSessionContext())) {
      if (!pins.defaults()) sessions.setSessionCacheSize(pins.resumes() ? MOST_SESSIONS : 1);
    }
    return new Context(isClient, isClient && pins.resumes(), peer, library, parameters);
  }

  private static TrustManager[] trust(byte[] root) throws Exception {
    var store = emptyStore();
    store.setCertificateEntry("root", Certificates.parse(root));
    var factory = TrustManagerFactory.getInstance("PKIX");
    factory.init(store);
    return factory.getTrustManagers();
  }

  private static KeyManager[] identity(byte[][] chain, byte[] key, int keyBits) throws Exception {
    var certificates = new Certificate[chain.length];
    for (int at = 0; at < chain.length; at++) certificates[at] = Certificates.parse(chain[at]);
    var algorithm = certificates[0].getPublicKey().getAlgorithm();
    var privateKey = KeyFactory.getInstance(algorithm).generatePrivate(new PKCS8EncodedKeySpec(key));
    int bits = bits(privateKey);
    if (bits != keyBits) {
      throw new IllegalArgumentException("the key has " + bits + " bits, the scenario wants " + keyBits);
    }
    var store = emptyStore();
    store.setKeyEntry("own", privateKey, new char[0], certificates);
    var factory = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
    factory.init(store, new char[0]);
    return factory.getKeyManagers();
  }

  private static int bits(PrivateKey key) {
    if (key instanceof RSAKey rsa) return rsa.getModulus().bitLength();
    if (key instanceof EdECKey ed) return ed.getParams().getName().equals(NamedParameterSpec.ED25519.getName()) ? 256 : 0;
    return key instanceof ECKey ec ? ec.getParams().getOrder().bitLength() : 0;
  }

  private static KeyStore emptyStore() throws Exception {
    var store = KeyStore.getInstance(KeyStore.getDefaultType());
    store.load(null, null);
    return store;
  }
}
