import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.PrivateKey;
import java.security.PublicKey;
import java.security.Signature;
import java.security.SignatureException;
import java.security.spec.MGF1ParameterSpec;
import java.security.spec.PKCS8EncodedKeySpec;
import java.security.spec.PSSParameterSpec;

/** Signatures alone. As its TLS does, it makes an object of the library for each, on the clock. */
final class Signer extends Primitive {
  private static final PSSParameterSpec PSS = new PSSParameterSpec("SHA-256", "MGF1", MGF1ParameterSpec.SHA256, 32, 1);

  private final String name;
  private final PSSParameterSpec parameters;
  private final PrivateKey own;
  private final PublicKey leaf;
  private final byte[] message;

  Signer(int scheme, byte[] message, byte[] leaf, byte[] own) throws Exception {
    super(message.length);
    name =
        switch (scheme) {
          case 0x0403 -> "SHA256withECDSA";
          case 0x0503 -> "SHA384withECDSA";
          case 0x0804 -> "RSASSA-PSS";
          case 0x0807 -> "Ed25519";
          default -> throw new Unsupported(String.format("signature scheme 0x%04x is not to be had", scheme));
        };
    parameters = scheme == 0x0804 ? PSS : null;
    this.leaf = Certificates.parse(leaf).getPublicKey();
    this.own = KeyFactory.getInstance(this.leaf.getAlgorithm()).generatePrivate(new PKCS8EncodedKeySpec(own));
    this.message = message;
  }

  @Override
  int run(int operation, long sequence, int length) throws GeneralSecurityException {
    var signature = Signature.getInstance(name);
    if (parameters != null) signature.setParameter(parameters);
    if (operation == SIGN) {
      signature.initSign(own);
      signature.update(input, 0, length);
      return signature.sign(output, 0, output.length);
    }
    signature.initVerify(leaf);
    signature.update(message);
    if (!signature.verify(input, 0, length)) throw new SignatureException("the signature is wrong");
    return 0;
  }

  @Override
  void once(int bytes, long sequence) throws GeneralSecurityException {
    System.arraycopy(message, 0, input, 0, message.length);
    int length = run(SIGN, sequence, message.length);
    System.arraycopy(output, 0, input, 0, length);
    run(VERIFY, sequence, length);
  }
}
