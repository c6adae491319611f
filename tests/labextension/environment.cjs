const { TestEnvironment } = require('jest-environment-jsdom');

/** jsdom with what browsers have and jsdom lacks: Node's own where Node has it. */
module.exports = class extends TestEnvironment {
  // Packages for Node where they differ: the tests run a real WebSocket server.
  exportConditions() {
    return ['node', 'node-addons'];
  }

  async setup() {
    await super.setup();
    Object.assign(this.global, { Headers, Request, Response, TextDecoder, TextEncoder, fetch });
    // jsdom's Blob has no stream.
    Object.assign(this.global, { Blob, CompressionStream, DecompressionStream, ReadableStream });
    this.global.DragEvent ??= class DragEvent extends this.global.Event {};
    this.global.ResizeObserver ??= class {
      observe() {}
      unobserve() {}
      disconnect() {}
    };
    this.global.matchMedia ??= () => ({
      matches: false,
      addListener() {},
      removeListener() {},
      addEventListener() {}
    });
    this.global.requestIdleCallback ??= callback => this.global.setTimeout(callback);
    // As in Chromium, where it returns a promise: an effect that returns it breaks at its cleanup.
    this.global.Element.prototype.scrollIntoView ??= () => Promise.resolve();
    this.global.IS_REACT_ACT_ENVIRONMENT = true;
  }
};
