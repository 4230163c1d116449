/** The pins of a scenario, by IANA's names and the contract's numbers. */
record Pins(
    String version,
    String suite,
    String group,
    String scheme,
    String curve,
    int keyBits,
    int verification,
    int tickets,
    int resumption,
    boolean mutual,
    boolean defaults) {
  static final String TLS12 = "TLSv1.2", TLS13 = "TLSv1.3";

  /** In the order of context.c. */
  static Pins of(String[] names, int[] numbers) {
    return new Pins(
        names[0], names[1], names[2], names[3], names[4], numbers[0], numbers[1], numbers[2], numbers[3], numbers[4] == 1,
        numbers[5] == 1);
  }

  boolean resumes() {
    return resumption != 0;
  }

  /** Whether sessions are handed over as tickets, which the library does unless an option says otherwise, before TLS 1.3. */
  boolean handsOverSessions() {
    return !version.equals(TLS12) || tickets > 0;
  }

  /** In TLS 1.2 an ECDSA certificate's curve has to be in the list of groups, a server's own certificate's too. */
  String[] groups() {
    return curve == null ? new String[] {group} : new String[] {group, curve};
  }
}
