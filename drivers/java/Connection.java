import java.nio.ByteBuffer;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLEngineResult;
import javax.net.ssl.SSLEngineResult.HandshakeStatus;
import javax.net.ssl.SSLEngineResult.Status;
import javax.net.ssl.SSLException;

/**
 * One side of one connection. A call gets ranges of the kit's memory and answers with where its output ends.
 *
 * <p>The library encrypts and decrypts in place, and does so in an array of Java's own: in the kit's memory it may
 * alter no input.
 */
final class Connection {
  private static final ByteBuffer NOTHING = ByteBuffer.allocate(0);
  private static final int HEADER = 5;

  private final Context context;
  private final SSLEngine engine;

  private Connection(Context context, SSLEngine engine) {
    this.context = context;
    this.engine = engine;
  }

  static Connection make(Context context) {
    if (context.isClient) Certificates.forget();
    return new Connection(context, context.engine());
  }

  /** A client that takes up the session of an earlier one. */
  static Connection resume(Context context, int port) {
    Certificates.forget();
    return new Connection(context, context.engine(port));
  }

  /** The port under which the library keeps the session. */
  int session() {
    return engine.getPeerPort();
  }

  /** The complement of the output's end if this side's handshake is done. */
  long handshake(ByteBuffer source, int from, int to, ByteBuffer target, int at, int end) throws SSLException {
    var input = range(source, from, to);
    var output = range(target, at, end);
    if (engine.getHandshakeStatus() == HandshakeStatus.NOT_HANDSHAKING) engine.beginHandshake();
    while (true) {
      switch (engine.getHandshakeStatus()) {
        case NEED_TASK -> runTasks();
        case NEED_WRAP -> wrap(NOTHING, output);
        case NEED_UNWRAP, NEED_UNWRAP_AGAIN -> {
          if (!input.hasRemaining()) return output.position();
          unwrap(input, context.plaintext.clear());
        }
        default -> {
          if (input.hasRemaining()) throw new SSLException(input.remaining() + " bytes follow the handshake's end");
          return ~(long) output.position();
        }
      }
    }
  }

  long send(ByteBuffer source, int from, int to, ByteBuffer target, int at, int end) throws SSLException {
    var input = range(source, from, to);
    var output = range(target, at, end);
    while (input.hasRemaining()) wrap(input, output);
    return output.position();
  }

  long receive(ByteBuffer source, int from, int to, ByteBuffer target, int at, int end) throws SSLException {
    var input = range(source, from, to);
    var output = range(target, at, end);
    while (input.hasRemaining()) {
      unwrap(input, output);
      runTasks();
    }
    if (engine.getHandshakeStatus() == HandshakeStatus.NEED_WRAP) {
      throw new SSLException("the library wants to answer unasked; the answer would be lost");
    }
    return output.position();
  }

  SSLEngine engine() {
    return engine;
  }

  private static ByteBuffer range(ByteBuffer memory, int from, int to) {
    return memory == null ? NOTHING : memory.limit(to).position(from);
  }

  private void runTasks() {
    for (Runnable task = engine.getDelegatedTask(); task != null; task = engine.getDelegatedTask()) task.run();
  }

  /** Takes as much plaintext as fits a record. */
  private void wrap(ByteBuffer plaintext, ByteBuffer output) throws SSLException {
    var record = context.record.clear();
    check(engine.wrap(plaintext, record));
    output.put(record.flip());
  }

  /** Takes one record. */
  private void unwrap(ByteBuffer input, ByteBuffer plaintext) throws SSLException {
    int start = input.position();
    int length = input.remaining() < HEADER ? HEADER : HEADER + (input.getShort(start + HEADER - 2) & 0xffff);
    if (length > input.remaining()) throw new SSLException("the input ends within a record");
    var record = context.record.clear();
    if (length > record.capacity()) throw new SSLException("a record of " + length + " bytes");
    record.put(0, input, start, length).limit(length);
    input.position(start + length);
    check(engine.unwrap(record, plaintext));
    if (record.hasRemaining()) throw new SSLException("the library took part of a record");
  }

  private static void check(SSLEngineResult result) throws SSLException {
    if (result.getStatus() != Status.OK) throw new SSLException("the library says " + result.getStatus());
  }
}
