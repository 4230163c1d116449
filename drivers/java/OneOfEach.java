import java.security.AlgorithmConstraints;
import java.security.AlgorithmParameters;
import java.security.CryptoPrimitive;
import java.security.Key;
import java.util.List;
import java.util.Set;

/**
 * Permits a scenario's groups and one key's signature schemes, for versions whose parameters have no setters for them.
 *
 * <p>The library asks of a scheme by its name, then by its algorithms and last, if the scheme is bound to a curve, by
 * the curve's group: in the very words that ask whether the group may be used for key exchange. What was asked before
 * tells the two apart. All questions of a context come from one thread.
 */
final class OneOfEach implements AlgorithmConstraints {
  private final List<String> groups;
  private final List<String> schemes;
  private boolean asksOfCurve;

  OneOfEach(String[] groups, String[] schemes) {
    this.groups = List.of(groups);
    this.schemes = List.of(schemes);
  }

  @Override
  public boolean permits(Set<CryptoPrimitive> primitives, String name, AlgorithmParameters parameters) {
    if (!primitives.contains(CryptoPrimitive.KEY_AGREEMENT)) return permitsSignature(name);
    // Groups have small letters; an algorithm is asked of when its group was permitted.
    boolean permitted = asksOfCurve || groups.contains(name) || Character.isUpperCase(name.charAt(0));
    asksOfCurve = false;
    return permitted;
  }

  private boolean permitsSignature(String name) {
    boolean isScheme = name.indexOf('_') > 0;
    if (!isScheme) return true;
    boolean permitted = schemes.contains(name);
    asksOfCurve = permitted && name.startsWith("ecdsa_secp");
    return permitted;
  }

  @Override
  public boolean permits(Set<CryptoPrimitive> primitives, Key key) {
    return true;
  }

  @Override
  public boolean permits(Set<CryptoPrimitive> primitives, String name, Key key, AlgorithmParameters parameters) {
    return permits(primitives, name, parameters);
  }
}
