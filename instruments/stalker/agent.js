// Loaded into a driver by attach.py: compiles agent.c there, and has a thread's code counted by it.
let agent = null;
rpc.exports = {
  follow(thread, code) {
    const shared = new NativeFunction(Module.getGlobalExportByName('tlslab_blocks_place'), 'pointer', [])();
    agent = new CModule(code, {
      forged_word: Module.getGlobalExportByName('tlslab_blocks_word'),
      forged_stamp: Module.getGlobalExportByName('tlslab_blocks_stamp'),
    });
    // Code that has run once is not looked at again: nothing here writes code.
    Stalker.trustThreshold = 0;
    Stalker.follow(thread, { transform: agent.transform, data: shared });
    shared.add(24).writeU64(1);
  },
};
