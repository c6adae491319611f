import type { AddressInfo } from 'node:net';
import { gzipSync } from 'node:zlib';

import { ServerConnection } from '@jupyterlab/services';
import { WebSocketServer } from 'ws';

import { ClusterManager } from '../../labextension/src/clusters/manager';
import { RefusedError } from '../../labextension/src/clusters/restapi';
import { PROTOCOL_VERSION } from '../../labextension/src/protocol/messages';
import type { ClusterModel, Event } from '../../labextension/src/protocol/messages';
import { cluster, noDevices, sample } from './models';

/** What a server of the same protocol would answer; remembers what it was asked. */
class Server {
  clusters: ClusterModel[] = [];
  version = PROTOCOL_VERSION;
  asked: string[] = [];
  answers = new Map<string, () => Response>();
  private _sockets = new WebSocketServer({ port: 0, host: '127.0.0.1' });

  constructor() {
    this._sockets.on('connection', () =>
      this.send({ kind: 'hello', protocol_version: this.version, clusters: this.clusters })
    );
  }

  listening(): Promise<void> {
    return new Promise(resolve => this._sockets.once('listening', resolve));
  }

  fetch = (input: RequestInfo | URL): Promise<Response> => {
    const { method, url } = input as Request;
    const { pathname, searchParams } = new URL(url);
    const only = searchParams.get('only');
    const path = pathname.replace('/gpucluster/api/', '');
    const what = `${method} ${path}${only === null ? '' : `?only=${only}`}`;
    this.asked.push(what);
    const answer = this.answers.get(what);
    return Promise.resolve(
      answer?.() ?? json({ clusters: this.clusters, protocol_version: this.version })
    );
  };

  send(event: Event): void {
    this._sockets.clients.forEach(socket => socket.send(JSON.stringify(event)));
  }

  /** Send an event the way long ones are sent. */
  sendPacked(event: Event): void {
    this.sendBytes(gzipSync(JSON.stringify(event)));
  }

  sendBytes(data: Buffer | string): void {
    this._sockets.clients.forEach(socket => socket.send(data));
  }

  drop(): void {
    this._sockets.clients.forEach(socket => socket.terminate());
  }

  manager(): ClusterManager {
    const { port } = this._sockets.address() as AddressInfo;
    const serverSettings = ServerConnection.makeSettings({
      baseUrl: 'http://localhost/',
      wsUrl: `ws://127.0.0.1:${port}/`,
      fetch: this.fetch as ServerConnection.ISettings['fetch'],
      WebSocket
    });
    return new ClusterManager({ serverSettings, stream: { shortestWait: 10, longestWait: 40 } });
  }

  close(): Promise<void> {
    this.drop();
    return new Promise(resolve => this._sockets.close(() => resolve()));
  }
}

function json(body: unknown, status = 200): Response {
  return new Response(JSON.stringify(body), { status });
}

async function until(condition: () => boolean): Promise<void> {
  while (!condition()) {
    await new Promise(resolve => setTimeout(resolve, 5));
  }
}

let server: Server;
let manager: ClusterManager;

beforeEach(async () => {
  server = new Server();
  await server.listening();
});

afterEach(async () => {
  manager.dispose();
  await server.close();
});

describe('a refusal', () => {
  it('is kept until the list comes; what a proxy answers is none', async () => {
    manager = new ClusterManager({
      serverSettings: ServerConnection.makeSettings({
        baseUrl: 'http://localhost/',
        wsUrl: 'ws://127.0.0.1:1/',
        fetch: server.fetch as ServerConnection.ISettings['fetch'],
        WebSocket
      })
    });
    const changed = jest.fn();
    manager.changed.connect(changed);
    const refuse = (status: number): Response =>
      json({ code: 'registry_unsafe', message: 'Close it.' }, status);
    server.answers.set('GET clusters', () => refuse(500));
    await expect(manager.refresh()).rejects.toThrow('Close it.');
    expect([manager.refusal, manager.connection]).toEqual(['Close it.', 'lost']);
    expect(changed).toHaveBeenCalled();
    server.answers.set('GET clusters', () => refuse(503));
    await expect(manager.refresh()).rejects.toThrow();
    expect(manager.refusal).toBeNull();
    server.answers.set('GET clusters', () => refuse(500));
    await expect(manager.refresh()).rejects.toThrow();
    server.answers.delete('GET clusters');
    await manager.refresh();
    expect([manager.refusal, manager.isReady]).toEqual([null, true]);
  });
});

describe('events', () => {
  it('start with the whole list', async () => {
    server.clusters = [cluster()];
    manager = server.manager();
    await until(() => manager.connection === 'live');
    expect(manager.isReady).toBe(true);
    expect(manager.get('a1b2c3d4')?.name).toBe('blue');
    expect(server.asked).toEqual([]);
  });

  it('add, change and remove clusters', async () => {
    manager = server.manager();
    await until(() => manager.isReady);
    server.send({ kind: 'cluster', cluster: cluster({ id: 'x', state: 'starting' }) });
    await until(() => manager.clusters.length === 1);
    server.send({ kind: 'cluster', cluster: cluster({ id: 'x', state: 'running' }) });
    await until(() => manager.get('x')?.state === 'running');
    server.send({ kind: 'removed', id: 'x' });
    await until(() => manager.clusters.length === 0);
  });

  it('bring samples, which end with the cluster', async () => {
    server.clusters = [cluster()];
    manager = server.manager();
    await until(() => manager.isReady);
    const seen: string[] = [];
    manager.sampled.connect((_, id) => seen.push(id));
    server.send({ kind: 'telemetry', sample: sample() });
    await until(() => seen.length === 1);
    expect(manager.sample('a1b2c3d4')?.workers).toEqual(['0', '1']);
    server.send({ kind: 'cluster', cluster: cluster({ state: 'stopped' }) });
    await until(() => manager.get('a1b2c3d4')?.state === 'stopped');
    expect(manager.sample('a1b2c3d4')).toBeUndefined();
  });

  it('keep their order when long ones come packed', async () => {
    manager = server.manager();
    await until(() => manager.isReady);
    const seen: (string | undefined)[] = [];
    manager.changed.connect(() => seen.push(manager.get('x')?.state));
    const names = Array.from({ length: 500 }, (_, i) => `${i}`);
    for (let i = 0; i < 5; i++) {
      server.sendPacked({ kind: 'telemetry', sample: sample({ id: 'x', workers: names }) });
      server.sendPacked({ kind: 'cluster', cluster: cluster({ id: 'x', state: 'starting' }) });
      server.send({ kind: 'cluster', cluster: cluster({ id: 'x', state: 'running' }) });
      server.send({ kind: 'removed', id: 'x' });
    }
    await until(() => seen.length === 15);
    expect(seen).toEqual(Array(5).fill(['starting', 'running', undefined]).flat());
  });

  it('that cannot be read are left out', async () => {
    const error = jest.spyOn(console, 'error').mockImplementation(() => undefined);
    manager = server.manager();
    await until(() => manager.isReady);
    server.sendBytes(Buffer.from('no gzip'));
    server.sendBytes('no JSON');
    server.send({ kind: 'cluster', cluster: cluster() });
    await until(() => manager.clusters.length === 1);
    expect(error).toHaveBeenCalledTimes(1);
    error.mockRestore();
  });

  it('bring the GPUs of the host, which are void once the connection is lost', async () => {
    manager = server.manager();
    await until(() => manager.connection === 'live');
    const seen: (string | undefined)[] = [];
    manager.hostChanged.connect(() => seen.push(manager.host?.code));
    server.send({ kind: 'host', host: noDevices });
    await until(() => seen.length === 1);
    server.drop();
    await until(() => seen.length === 2);
    expect(seen).toEqual(['no_library', undefined]);
  });

  it('come back after the connection was lost, with what happened meanwhile', async () => {
    manager = server.manager();
    await until(() => manager.connection === 'live');
    server.clusters = [cluster()];
    server.drop();
    await until(() => manager.clusters.length === 1 && manager.connection === 'live');
  });

  it('of another version ask for a reload', async () => {
    server.version = 99;
    manager = server.manager();
    await until(() => manager.connection === 'outdated');
  });
});

describe('commands', () => {
  it('take the model that is answered', async () => {
    manager = server.manager();
    await until(() => manager.isReady);
    server.answers.set('POST clusters', () => json(cluster({ state: 'starting' }), 201));
    const created = await manager.create({ backend: 'local' });
    expect(created.state).toBe('starting');
    expect(manager.get(created.id)?.state).toBe('starting');
  });

  it('keep what an event said while the answer was on its way', async () => {
    manager = server.manager();
    await until(() => manager.isReady);
    let answer = (): void => undefined;
    const waiting = new Promise<void>(resolve => (answer = resolve));
    const fetch = server.fetch;
    server.fetch = fetch;
    server.answers.set('PATCH clusters/a1b2c3d4', () => json(cluster({ state: 'scaling' })));
    const slow = manager as unknown as { _settings: ServerConnection.ISettings };
    slow._settings = {
      ...slow._settings,
      fetch: async (...args: Parameters<typeof fetch>) => {
        await waiting;
        return server.fetch(...args);
      }
    };
    const done = manager.patch('a1b2c3d4', { n_workers: 3 });
    server.send({ kind: 'cluster', cluster: cluster({ n_workers: 3 }) });
    await until(() => manager.get('a1b2c3d4')?.n_workers === 3);
    answer();
    await done;
    expect(manager.get('a1b2c3d4')).toMatchObject({ state: 'running', n_workers: 3 });
  });

  it('read one cluster again', async () => {
    server.clusters = [cluster({ n_clients: 0 })];
    manager = server.manager();
    await until(() => manager.isReady);
    server.answers.set('GET clusters/a1b2c3d4', () => json(cluster({ n_clients: 2 })));
    expect((await manager.look('a1b2c3d4')).n_clients).toBe(2);
    expect(manager.get('a1b2c3d4')?.n_clients).toBe(2);
  });

  it('read history and activity, restart, and retire a worker by its name', async () => {
    server.clusters = [cluster()];
    manager = server.manager();
    await until(() => manager.isReady);
    const entry = { at: '2026-01-01T10:00:00Z', kind: 'create', by: 'JupyterLab', message: 'Go.' };
    server.answers.set('GET clusters/a1b2c3d4/activity', () =>
      json({ id: 'a1b2c3d4', entries: [entry] })
    );
    server.answers.set('GET clusters/a1b2c3d4/history', () => json({ seconds: [0] }));
    server.answers.set('POST clusters/a1b2c3d4/workers/x%2Fy/retire', () =>
      json(cluster({ state: 'scaling' }))
    );
    expect(await manager.activity('a1b2c3d4')).toEqual([entry]);
    expect((await manager.history('a1b2c3d4')).seconds).toEqual([0]);
    server.answers.set('POST clusters/a1b2c3d4/restart', () => json(cluster()));
    expect((await manager.request('a1b2c3d4', 'restart')).state).toBe('running');
    expect((await manager.retire('a1b2c3d4', 'x/y')).state).toBe('scaling');
    expect(manager.get('a1b2c3d4')?.state).toBe('scaling');
  });

  it('throw the sentence of the server, and its fields', async () => {
    manager = server.manager();
    await until(() => manager.isReady);
    const fields = [{ field: 'name', message: 'is taken' }];
    server.answers.set('POST clusters', () =>
      json({ code: 'name_taken', message: 'Taken.', fields }, 409)
    );
    const error = await manager.create({ name: 'blue' }).catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(RefusedError);
    expect(error).toMatchObject({ message: 'Taken.', status: 409, code: 'name_taken', fields });
    expect(manager.clusters).toEqual([]);
  });

  it('say so when something else than our server answers', async () => {
    manager = server.manager();
    await until(() => manager.isReady);
    server.answers.set('POST clusters', () => new Response('<html>login</html>'));
    await expect(manager.create({})).rejects.toThrow('server extension');
    server.answers.set('POST clusters', () => new Response('nothing here', { status: 404 }));
    await expect(manager.create({})).rejects.toThrow('server extension');
  });

  it('stop only what lives and remove only what has ended', async () => {
    server.clusters = [cluster({ id: 'ended', state: 'failed' }), cluster({ id: 'alive' })];
    manager = server.manager();
    await until(() => manager.isReady);
    await manager.stop('ended');
    await manager.remove('alive');
    await manager.stop('unknown');
    expect(server.asked).toEqual([]);
    // Meanwhile it may have ended, or another may have its name.
    server.answers.set('DELETE clusters/alive?only=stop', () => json(cluster({ id: 'alive' })));
    await manager.stop('alive');
    expect(server.asked).toEqual(['DELETE clusters/alive?only=stop']);
  });

  it('count an entry that is gone already as removed', async () => {
    server.clusters = [cluster({ id: 'ended', state: 'failed' })];
    manager = server.manager();
    await until(() => manager.isReady);
    server.answers.set('DELETE clusters/ended?only=remove', () =>
      json({ code: 'cluster_not_found', message: 'Gone.', fields: [] }, 404)
    );
    await manager.remove('ended');
    expect(manager.clusters).toEqual([]);
  });
});
