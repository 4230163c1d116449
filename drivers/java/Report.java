import java.security.cert.CertificateEncodingException;
import javax.net.ssl.SSLPeerUnverifiedException;

/** Queries from C in addition to the connections' own work. */
final class Report {
  private Report() {}

  /** A failure and its causes, as the library words them. */
  static String reason(Throwable failure) {
    if (isUnsupported(failure)) return failure.getMessage();
    var text = new StringBuilder();
    var told = "";
    for (var cause = failure; cause != null; cause = cause.getCause()) {
      var message = String.valueOf(cause.getMessage());
      // A wrapping exception often repeats the message of its cause.
      if (told.endsWith(message)) continue;
      if (text.length() > 0) text.append(": ");
      text.append(cause.getClass().getSimpleName()).append(": ").append(message);
      told = message;
    }
    return text.toString();
  }

  static boolean isUnsupported(Throwable failure) {
    return failure instanceof Unsupported;
  }

  static String property(String name) {
    return System.getProperty(name);
  }

  /** The version, or the suite. */
  static String negotiated(Connection connection, boolean suite) {
    var session = connection.engine().getSession();
    return suite ? session.getCipherSuite() : session.getProtocol();
  }

  /** The peer's certificate, if it has sent one. */
  static byte[] certificate(Connection connection) throws CertificateEncodingException {
    try {
      return connection.engine().getSession().getPeerCertificates()[0].getEncoded();
    } catch (SSLPeerUnverifiedException none) {
      return null;
    }
  }
}
