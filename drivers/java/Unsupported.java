/** Something that the library cannot be held to. */
final class Unsupported extends RuntimeException {
  private static final long serialVersionUID = 1;

  Unsupported(String why) {
    super(why);
  }
}
