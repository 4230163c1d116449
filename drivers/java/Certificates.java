import java.io.ByteArrayInputStream;
import java.io.InputStream;
import java.security.cert.CertificateException;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;

/**
 * Certificates out of DER.
 *
 * <p>The library keeps every certificate that it has parsed, and a certificate keeps that its signature was right: a
 * client that sees a chain again neither parses nor verifies it. Other libraries do both each time.
 */
final class Certificates {
  private static final boolean KEEPS = Boolean.getBoolean("tlslab.keepCertificates");
  private static final CertificateFactory FACTORY = factory();

  private Certificates() {}

  static X509Certificate parse(byte[] der) throws CertificateException {
    return (X509Certificate) FACTORY.generateCertificate(new ByteArrayInputStream(der));
  }

  /** Empties what the library keeps, so that the next connection does the work itself. */
  static void forget() {
    if (KEEPS) return;
    try {
      FACTORY.generateCertificate((InputStream) null);
    } catch (CertificateException emptied) {
      // That is how the library empties it: it does so, and then misses its input.
      return;
    }
    throw new IllegalStateException("the library's certificates cannot be forgotten");
  }

  private static CertificateFactory factory() {
    try {
      return CertificateFactory.getInstance("X.509");
    } catch (CertificateException missing) {
      throw new IllegalStateException(missing);
    }
  }
}
