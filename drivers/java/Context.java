import java.nio.ByteBuffer;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.KeyStore;
import java.security.PrivateKey;
import java.security.cert.Certificate;
import java.security.interfaces.ECKey;
import java.security.interfaces.RSAKey;
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

/** What the connections of one side of one scenario share. */
final class Context {
  private static final int NO_CHECK = 0;
  private static final int CHAIN_AND_NAME = 2;
  /** A second more than the lifetime up to which the library sends tickets. */
  private static final int TOO_LONG_FOR_TICKETS_S = 604801;

  final boolean isClient;
  /** Room for one record, and for what one holds. */
  final ByteBuffer record;
  final ByteBuffer plaintext;
  private final SSLContext library;
  private final SSLParameters parameters;

  private Context(boolean isClient, SSLContext library, SSLParameters parameters) {
    this.isClient = isClient;
    this.library = library;
    this.parameters = parameters;
    var session = library.createSSLEngine().getSession();
    record = ByteBuffer.allocate(session.getPacketBufferSize());
    plaintext = ByteBuffer.allocate(session.getApplicationBufferSize());
  }

  static Context client(
      int version, int suite, int group, int scheme, int verification, byte[] root, String serverName)
      throws Exception {
    var trust = verification == NO_CHECK ? new TrustManager[] {new TrustEveryone()} : trust(root);
    var parameters = Pin.parameters(version, suite, group, scheme);
    parameters.setServerNames(List.of(new SNIHostName(serverName)));
    if (verification == CHAIN_AND_NAME) parameters.setEndpointIdentificationAlgorithm("HTTPS");
    return make(true, null, trust, parameters);
  }

  static Context server(
      int version, int suite, int group, int scheme, int tickets, int keyBits, byte[][] chain, byte[] key)
      throws Exception {
    var context = make(false, identity(chain, key, keyBits), null, Pin.parameters(version, suite, group, scheme));
    if (tickets == 0) context.library.getServerSessionContext().setSessionTimeout(TOO_LONG_FOR_TICKETS_S);
    return context;
  }

  SSLEngine engine() {
    var engine = library.createSSLEngine();
    engine.setUseClientMode(isClient);
    engine.setSSLParameters(parameters);
    return engine;
  }

  private static Context make(boolean isClient, KeyManager[] keys, TrustManager[] trust, SSLParameters parameters)
      throws GeneralSecurityException {
    var library = SSLContext.getInstance("TLS");
    library.init(keys, trust, null);
    // One is the least; none at all cannot be said.
    for (SSLSessionContext sessions : List.of(library.getClientSessionContext(), library.getServerSessionContext())) {
      sessions.setSessionCacheSize(1);
    }
    return new Context(isClient, library, parameters);
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
      throw new IllegalArgumentException("the server's key has " + bits + " bits, the scenario wants " + keyBits);
    }
    var store = emptyStore();
    store.setKeyEntry("server", privateKey, new char[0], certificates);
    var factory = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
    factory.init(store, new char[0]);
    return factory.getKeyManagers();
  }

  private static int bits(PrivateKey key) {
    if (key instanceof RSAKey rsa) return rsa.getModulus().bitLength();
    return key instanceof ECKey ec ? ec.getParams().getOrder().bitLength() : 0;
  }

  private static KeyStore emptyStore() throws Exception {
    var store = KeyStore.getInstance(KeyStore.getDefaultType());
    store.load(null, null);
    return store;
  }
}
