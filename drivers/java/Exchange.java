import java.math.BigInteger;
import java.security.AlgorithmParameters;
import java.security.GeneralSecurityException;
import java.security.InvalidKeyException;
import java.security.KeyFactory;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.PublicKey;
import java.security.interfaces.ECPublicKey;
import java.security.interfaces.XECPublicKey;
import java.security.spec.AlgorithmParameterSpec;
import java.security.spec.ECGenParameterSpec;
import java.security.spec.ECParameterSpec;
import java.security.spec.ECPoint;
import java.security.spec.ECPublicKeySpec;
import java.security.spec.NamedParameterSpec;
import java.security.spec.XECPublicKeySpec;
import javax.crypto.KeyAgreement;

/**
 * Key exchange alone. As its TLS does, it makes the library's objects on the clock, and turns the numbers that the
 * library's keys are made of into shares and back.
 */
final class Exchange extends Primitive {
  private static final byte UNCOMPRESSED = 4;

  /** Of the keys, and of the agreement. */
  private final String keys, agreement;
  private final AlgorithmParameterSpec named;
  /** Bytes of a coordinate. */
  private final int size;
  /** Of a curve of NIST; else null. */
  private final ECParameterSpec curve;
  private KeyPair own;

  Exchange(int group) throws Exception {
    super(0);
    boolean isNist = group != 0x001d;
    keys = isNist ? "EC" : "X25519";
    agreement = isNist ? "ECDH" : "X25519";
    size = group == 0x0018 ? 48 : 32;
    named =
        switch (group) {
          case 0x0017 -> new ECGenParameterSpec("secp256r1");
          case 0x0018 -> new ECGenParameterSpec("secp384r1");
          case 0x001d -> NamedParameterSpec.X25519;
          default -> throw new Unsupported(String.format("group 0x%04x is not available as a primitive", group));
        };
    if (isNist) {
      var parameters = AlgorithmParameters.getInstance(keys);
      parameters.init(named);
      curve = parameters.getParameterSpec(ECParameterSpec.class);
    } else {
      curve = null;
    }
  }

  @Override
  int run(int operation, long sequence, int length) throws GeneralSecurityException {
    return operation == KEY_GENERATION ? generate() : agree(length);
  }

  private int generate() throws GeneralSecurityException {
    var generator = KeyPairGenerator.getInstance(keys);
    generator.initialize(named);
    own = generator.generateKeyPair();
    if (own.getPublic() instanceof XECPublicKey key) {
      put(key.getU(), 0);
      reverse(output, size);
      return size;
    }
    var point = ((ECPublicKey) own.getPublic()).getW();
    output[0] = UNCOMPRESSED;
    put(point.getAffineX(), 1);
    put(point.getAffineY(), 1 + size);
    return 1 + 2 * size;
  }

  private int agree(int length) throws GeneralSecurityException {
    var keyAgreement = KeyAgreement.getInstance(agreement);
    keyAgreement.init(own.getPrivate());
    keyAgreement.doPhase(decoded(length), true);
    return keyAgreement.generateSecret(output, 0);
  }

  private PublicKey decoded(int length) throws GeneralSecurityException {
    var factory = KeyFactory.getInstance(keys);
    if (length != (curve == null ? size : 1 + 2 * size)) throw new InvalidKeyException("a share of " + length + " bytes");
    if (curve == null) {
      reverse(input, size);
      var u = new BigInteger(1, input, 0, size);
      reverse(input, size);
      return factory.generatePublic(new XECPublicKeySpec(named, u));
    }
    if (input[0] != UNCOMPRESSED) throw new InvalidKeyException("a share that is not an uncompressed point");
    var point = new ECPoint(new BigInteger(1, input, 1, size), new BigInteger(1, input, 1 + size, size));
    return factory.generatePublic(new ECPublicKeySpec(point, curve));
  }

  /** A number that is not negative, in as many bytes as a coordinate has. */
  private void put(BigInteger number, int at) {
    var bytes = number.toByteArray();
    for (int done = 0; done < size; done++) {
      int from = bytes.length - size + done;
      output[at + done] = from < 0 ? 0 : bytes[from];
    }
  }

  private static void reverse(byte[] bytes, int length) {
    for (int at = 0; at < length / 2; at++) {
      byte other = bytes[length - 1 - at];
      bytes[length - 1 - at] = bytes[at];
      bytes[at] = other;
    }
  }

  /** With its own share as the peer's. */
  @Override
  void once(int bytes, long sequence) throws GeneralSecurityException {
    int length = generate();
    System.arraycopy(output, 0, input, 0, length);
    agree(length);
  }
}
