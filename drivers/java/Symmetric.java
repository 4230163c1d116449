import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.security.spec.AlgorithmParameterSpec;
import javax.crypto.Cipher;
import javax.crypto.Mac;
import javax.crypto.spec.GCMParameterSpec;
import javax.crypto.spec.IvParameterSpec;
import javax.crypto.spec.SecretKeySpec;

/** Hashes, codes and AEADs alone. */
final class Symmetric {
  private Symmetric() {}

  static final class Digest extends Primitive {
    private final MessageDigest hash;

    Digest(int algorithm, int bytes) throws GeneralSecurityException {
      super(bytes);
      hash = MessageDigest.getInstance(algorithm == SHA384 ? "SHA-384" : "SHA-256");
    }

    @Override
    int run(int operation, long sequence, int length) throws GeneralSecurityException {
      hash.update(input, 0, length);
      return hash.digest(output, 0, output.length);
    }

    @Override
    void once(int bytes, long sequence) throws GeneralSecurityException {
      run(HASH, sequence, bytes);
    }
  }

  /** On the clock: the key is taken in. */
  static final class Code extends Primitive {
    private final Mac mac;
    private final SecretKeySpec key;

    Code(int algorithm, int bytes, byte[] key) throws GeneralSecurityException {
      super(bytes);
      var name = algorithm == SHA384 ? "HmacSHA384" : "HmacSHA256";
      mac = Mac.getInstance(name);
      this.key = new SecretKeySpec(key, name);
    }

    @Override
    int run(int operation, long sequence, int length) throws GeneralSecurityException {
      mac.init(key);
      mac.update(input, 0, length);
      mac.doFinal(output, 0);
      return mac.getMacLength();
    }

    @Override
    void once(int bytes, long sequence) throws GeneralSecurityException {
      run(HMAC, sequence, bytes);
    }
  }

  /** A nonce is set together with the key, by its TLS as well: on the clock is what the library makes of the same key. */
  static final class Aead extends Primitive {
    private static final int CHACHA20_POLY1305 = 0x1303;
    private static final int TAG = 16, NONCE = 12;

    private final boolean isGcm;
    private final Cipher sealing, opening;
    private final SecretKeySpec key;
    private final byte[] iv, header;

    Aead(int algorithm, int bytes, byte[] key, byte[] iv, byte[] header) throws GeneralSecurityException {
      super(bytes);
      isGcm = algorithm != CHACHA20_POLY1305;
      var name = isGcm ? "AES/GCM/NoPadding" : "ChaCha20-Poly1305";
      sealing = Cipher.getInstance(name);
      opening = Cipher.getInstance(name);
      this.key = new SecretKeySpec(key, isGcm ? "AES" : "ChaCha20");
      this.iv = iv;
      this.header = header;
    }

    @Override
    int run(int operation, long sequence, int length) throws GeneralSecurityException {
      boolean seals = operation == AEAD_SEAL;
      var cipher = seals ? sealing : opening;
      cipher.init(seals ? Cipher.ENCRYPT_MODE : Cipher.DECRYPT_MODE, key, nonce(sequence));
      cipher.updateAAD(header);
      return cipher.doFinal(input, 0, length, output, 0);
    }

    private AlgorithmParameterSpec nonce(long sequence) {
      var nonce = iv.clone();
      for (int at = 0; at < Long.BYTES; at++) nonce[NONCE - 1 - at] ^= (byte) (sequence >>> 8 * at);
      return isGcm ? new GCMParameterSpec(8 * TAG, nonce) : new IvParameterSpec(nonce);
    }

    @Override
    void once(int bytes, long sequence) throws GeneralSecurityException {
      int length = run(AEAD_SEAL, sequence, bytes);
      System.arraycopy(output, 0, input, 0, length);
      run(AEAD_OPEN, sequence, length);
    }
  }
}
