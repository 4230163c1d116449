import java.util.Map;

/** What a scenario pins, by the contract's numbers. */
record Pins(
    int version,
    int suite,
    int group,
    int scheme,
    int keyBits,
    int verification,
    int tickets,
    int resumption,
    boolean mutual) {
  static final int TLS12 = 0x0303;
  /** The curves of ECDSA certificates by their signature schemes. */
  private static final Map<Integer, Integer> CURVES = Map.of(0x0403, 0x0017, 0x0503, 0x0018);

  /** In the order of context.c. */
  static Pins of(int[] numbers) {
    return new Pins(
        numbers[0], numbers[1], numbers[2], numbers[3], numbers[4], numbers[5], numbers[6], numbers[7], numbers[8] == 1);
  }

  boolean resumes() {
    return resumption != 0;
  }

  /** Whether sessions are handed over as tickets, which the library does unless an option says otherwise, before TLS 1.3. */
  boolean handsOverSessions() {
    return version != TLS12 || tickets > 0;
  }

  /** In TLS 1.2 an ECDSA certificate's curve has to be in the list of groups, a server's own certificate's too. */
  int[] groups() {
    int curve = version == TLS12 ? CURVES.getOrDefault(scheme, group) : group;
    return curve == group ? new int[] {group} : new int[] {group, curve};
  }
}
