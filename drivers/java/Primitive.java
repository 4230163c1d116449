import java.security.GeneralSecurityException;

/**
 * One cryptographic operation alone, by the architecture that providers plug into. Its input is in a Java array,
 * which C fills, and so is its output, which C fetches off the clock.
 */
abstract class Primitive {
  // As in the contract.
  static final int HASH = 1, HMAC = 2, AEAD_SEAL = 3, AEAD_OPEN = 4, SIGN = 5, VERIFY = 6;
  static final int KEY_GENERATION = 7, KEY_AGREEMENT = 8;
  static final int SHA384 = 5;

  /** More than a signature or a share has, and than an AEAD adds. */
  private static final int ROOM = 4096;
  private static final long WARM_UP_NS = 500_000_000;

  final byte[] input;
  final byte[] output;

  Primitive(int bytes) {
    input = new byte[bytes + ROOM];
    output = new byte[bytes + ROOM];
  }

  /** An object that has run for a while, so that the machine has compiled it. */
  static Primitive make(
      int operation, int algorithm, int bytes, byte[] key, byte[] iv, byte[] header, byte[] message, byte[] leaf,
      byte[] own)
      throws Exception {
    var made =
        switch (operation) {
          case HASH -> new Symmetric.Digest(algorithm, bytes);
          case HMAC -> new Symmetric.Code(algorithm, bytes, key);
          case AEAD_SEAL, AEAD_OPEN -> new Symmetric.Aead(algorithm, bytes, key, iv, header);
          case SIGN, VERIFY -> new Signer(algorithm, message, leaf, own);
          default -> new Exchange(algorithm);
        };
    long deadline = System.nanoTime() + WARM_UP_NS;
    for (long turn = 0; System.nanoTime() < deadline; turn++) made.once(bytes, ~turn);
    return made;
  }

  /** Does an operation with the first bytes of the input, and answers with how many bytes of output there are. */
  abstract int run(int operation, long sequence, int length) throws GeneralSecurityException;

  /** Does all that it can do once. */
  abstract void once(int bytes, long sequence) throws GeneralSecurityException;

  final byte[] input() {
    return input;
  }

  final byte[] output() {
    return output;
  }
}
