import java.lang.reflect.Method;
import java.security.GeneralSecurityException;
import java.security.KeyPairGenerator;
import java.security.spec.ECGenParameterSpec;
import java.util.Arrays;
import java.util.Set;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLParameters;

/** Holds parameters to exactly what a scenario names. */
final class Pin {
  private static final Set<String> SCHEMES =
      Set.of("ecdsa_secp256r1_sha256", "ecdsa_secp384r1_sha384", "ed25519", "rsa_pss_rsae_sha256", "rsa_pkcs1_sha256");

  /** There are such setters since Java 20 and 19. */
  private static final Method SET_GROUPS = method("setNamedGroups", String[].class);
  private static final Method GET_GROUPS = method("getNamedGroups");
  private static final Method SET_SCHEMES = method("setSignatureSchemes", String[].class);

  private static final String P384 = "secp384r1";
  private static final String NO_ORDER =
      "before Java 20 groups have one order for the whole process, in which the curve of an ECDSA certificate, which"
          + " TLS 1.2 needs among them, comes before P-384";

  private Pin() {}

  static SSLParameters parameters(Pins pins) throws Exception {
    var parameters = new SSLParameters();
    parameters.setProtocols(new String[] {known(pins.version(), "version")});
    parameters.setCipherSuites(new String[] {known(pins.suite(), "suite")});
    var schemes = schemes(pins.scheme());
    var groups = pins.groups();
    for (var group : groups) known(group, "group");
    if (SET_GROUPS != null && SET_SCHEMES != null) {
      SET_GROUPS.invoke(parameters, (Object) groups);
      SET_SCHEMES.invoke(parameters, (Object) schemes);
    } else {
      if (groups.length > 1 && pins.group().equals(P384)) throw new Unsupported(NO_ORDER);
      parameters.setAlgorithmConstraints(new OneOfEach(groups, schemes));
    }
    return parameters;
  }

  /** Whether the library has a version, suite or group. */
  static boolean has(String name) throws Exception {
    var supported = SSLContext.getDefault().getSupportedSSLParameters();
    if (Arrays.asList(supported.getProtocols()).contains(name)) return true;
    if (Arrays.asList(supported.getCipherSuites()).contains(name)) return true;
    return GET_GROUPS == null ? makesKeys(name) : Arrays.asList((String[]) GET_GROUPS.invoke(supported)).contains(name);
  }

  /** The placeholder for a list of groups if the library shows none. */
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
  private static String[] schemes(String scheme) {
    if (!SCHEMES.contains(scheme)) throw new Unsupported("signature scheme " + scheme + " is not to be had");
    return scheme.startsWith("rsa_pss") ? new String[] {scheme, "rsa_pkcs1_sha256"} : new String[] {scheme};
  }

  private static String known(String name, String what) throws Exception {
    if (name == null || !has(name)) throw new Unsupported("the library has no " + what + " " + name);
    return name;
  }

  private static Method method(String name, Class<?>... parameters) {
    try {
      return SSLParameters.class.getMethod(name, parameters);
    } catch (NoSuchMethodException absent) {
      return null;
    }
  }
}
