import static java.util.Map.entry;

import java.lang.reflect.Method;
import java.security.GeneralSecurityException;
import java.security.KeyPairGenerator;
import java.security.spec.ECGenParameterSpec;
import java.util.Arrays;
import java.util.Map;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLParameters;

/** Holds parameters to exactly what a scenario names. */
final class Pin {
  private static final Map<Integer, String> NAMES =
      Map.ofEntries(
          entry(0x0303, "TLSv1.2"),
          entry(0x0304, "TLSv1.3"),
          entry(0x1301, "TLS_AES_128_GCM_SHA256"),
          entry(0x1302, "TLS_AES_256_GCM_SHA384"),
          entry(0x1303, "TLS_CHACHA20_POLY1305_SHA256"),
          entry(0xc02b, "TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256"),
          entry(0xc02c, "TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384"),
          entry(0xcca9, "TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305_SHA256"),
          entry(0xc02f, "TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256"),
          entry(0xc030, "TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384"),
          entry(0xcca8, "TLS_ECDHE_RSA_WITH_CHACHA20_POLY1305_SHA256"),
          entry(0x009e, "TLS_DHE_RSA_WITH_AES_128_GCM_SHA256"),
          entry(0x009f, "TLS_DHE_RSA_WITH_AES_256_GCM_SHA384"),
          entry(0xccaa, "TLS_DHE_RSA_WITH_CHACHA20_POLY1305_SHA256"),
          entry(0x0100, "ffdhe2048"),
          entry(0x0017, "secp256r1"),
          entry(0x0018, "secp384r1"),
          entry(0x001d, "x25519"),
          entry(0x11ec, "X25519MLKEM768"),
          entry(0x11eb, "SecP256r1MLKEM768"));
  private static final Map<Integer, String> SCHEMES =
      Map.of(
          0x0403, "ecdsa_secp256r1_sha256",
          0x0503, "ecdsa_secp384r1_sha384",
          0x0807, "ed25519",
          0x0804, "rsa_pss_rsae_sha256",
          0x0401, "rsa_pkcs1_sha256");

  /** There are such setters since Java 20 and 19. */
  private static final Method SET_GROUPS = method("setNamedGroups", String[].class);
  private static final Method GET_GROUPS = method("getNamedGroups");
  private static final Method SET_SCHEMES = method("setSignatureSchemes", String[].class);

  private static final int P384 = 0x0018;
  private static final String NO_ORDER =
      "before Java 20 groups have one order for the whole process, in which the curve of an ECDSA certificate, which"
          + " TLS 1.2 needs among them, comes before P-384";

  private Pin() {}

  static SSLParameters parameters(Pins pins) throws Exception {
    var parameters = new SSLParameters();
    parameters.setProtocols(new String[] {known(pins.version(), "version")});
    parameters.setCipherSuites(new String[] {known(pins.suite(), "suite")});
    var schemes = schemes(pins.scheme());
    var points = pins.groups();
    var groups = new String[points.length];
    for (int at = 0; at < points.length; at++) groups[at] = known(points[at], "group");
    if (SET_GROUPS != null && SET_SCHEMES != null) {
      SET_GROUPS.invoke(parameters, (Object) groups);
      SET_SCHEMES.invoke(parameters, (Object) schemes);
    } else {
      if (groups.length > 1 && pins.group() == P384) throw new Unsupported(NO_ORDER);
      parameters.setAlgorithmConstraints(new OneOfEach(groups, schemes));
    }
    return parameters;
  }

  /** Whether the library has a version, suite or group. */
  static boolean has(int point) throws Exception {
    var name = NAMES.get(point);
    if (name == null) return false;
    var supported = SSLContext.getDefault().getSupportedSSLParameters();
    if (Arrays.asList(supported.getProtocols()).contains(name)) return true;
    if (Arrays.asList(supported.getCipherSuites()).contains(name)) return true;
    return GET_GROUPS == null ? makesKeys(name) : Arrays.asList((String[]) GET_GROUPS.invoke(supported)).contains(name);
  }

  /** The code point of a version or suite that the library names; 0 for one that the driver does not know. */
  static int point(String name) {
    for (var entry : NAMES.entrySet()) {
      if (entry.getValue().equals(name)) return entry.getKey();
    }
    return 0;
  }

  /** What stands for a list of groups where the library shows none. */
  private static boolean makesKeys(String group) {
    try {
      if (group.startsWith("secp")) {
        KeyPairGenerator.getInstance("EC").initialize(new ECGenParameterSpec(group));
      } else if (group.startsWith("ffdhe")) {
        KeyPairGenerator.getInstance("DiffieHellman").initialize(Integer.parseInt(group.substring("ffdhe".length())));
      } else {
        KeyPairGenerator.getInstance(group);
      }
      return true;
    } catch (GeneralSecurityException unknown) {
      return false;
    }
  }

  /** The lab's RSA chains are signed with PKCS #1, which TLS 1.3 has for certificates alone. */
  private static String[] schemes(int point) {
    var scheme = SCHEMES.get(point);
    if (scheme == null) throw new Unsupported(String.format("signature scheme 0x%04x is not to be had", point));
    return scheme.startsWith("rsa_pss") ? new String[] {scheme, "rsa_pkcs1_sha256"} : new String[] {scheme};
  }

  private static String known(int point, String what) throws Exception {
    if (!has(point)) throw new Unsupported(String.format("the library has no %s 0x%04x", what, point));
    return NAMES.get(point);
  }

  private static Method method(String name, Class<?>... parameters) {
    try {
      return SSLParameters.class.getMethod(name, parameters);
    } catch (NoSuchMethodException absent) {
      return null;
    }
  }
}
