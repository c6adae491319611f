import type { DocumentRegistry } from '@jupyterlab/docregistry';
import { ServerConnection } from '@jupyterlab/services';
import { Widget } from '@lumino/widgets';
import { act } from 'react';

import { DEFAULT_THRESHOLDS } from '../../labextension/src/gauges';
import {
  addRecordingFiles,
  RECORDING_FILES,
  RecordingFactory,
  RecordingTab
} from '../../labextension/src/recordings/recordingviews';
import widgets from '../../labextension/src/widgets';
import type { IWidgetModel } from '../../labextension/src/widgets/model';
import { sample } from './models';

const LABEL = 'Recorded on CPU workers at 2026-11-20 14:03 UTC — not a live cluster';
const SESSION = {
  recording: {
    kind: 'gpucluster-recording',
    schema_version: 1,
    title: 'k-means',
    recorded_at: '2026-11-20T14:03:00Z',
    backend: 'local',
    gpus: [],
    driver: null,
    n_workers: 2,
    versions: { gpucluster: '0.1.0', dask: null, rapids: null },
    note: null,
    simulated: false
  },
  label: LABEL,
  message: null,
  samples: [sample({ at: '2026-11-20T14:03:00Z' }), sample({ at: '2026-11-20T14:03:01Z' })]
};

function answering(status: number, body: unknown): [ServerConnection.ISettings, string[]] {
  const asked: string[] = [];
  const settings = ServerConnection.makeSettings({
    baseUrl: 'http://localhost/a%40b/',
    fetch: (request: RequestInfo | URL) => {
      asked.push((request as Request).url);
      return Promise.resolve(new Response(JSON.stringify(body), { status }));
    }
  });
  return [settings, asked];
}

async function until(condition: () => unknown): Promise<void> {
  while (!condition()) {
    await new Promise(resolve => setTimeout(resolve, 10));
  }
}

describe('recording tab', () => {
  const place = { source: 'folder', path: 'a b/x&y.gpucluster.jsonl.gz' } as const;
  const thresholds = () => DEFAULT_THRESHOLDS;

  it('reads the recording, plays it and takes its title', async () => {
    const [settings, asked] = answering(200, SESSION);
    const tab = new RecordingTab({ place, settings, thresholds });
    act(() => Widget.attach(tab, document.body));
    expect(tab.title.label).toBe('Recording: x&y.gpucluster.jsonl.gz');
    expect(tab.node.textContent).toContain('Loading…');
    await until(() => tab.node.querySelector('.gpc-Player'));
    expect(tab.title.label).toBe('Recording: k-means');
    expect(tab.node.textContent).toContain(LABEL);
    expect(tab.node.textContent).not.toContain('Loading…');
    expect(tab.node.querySelector('button')!.getAttribute('aria-label')).toBe('Pause');
    const url = new URL(asked[0]);
    expect(url.pathname).toBe('/a%40b/gpucluster/api/recordings/session');
    expect(url.searchParams.get('source')).toBe('folder');
    expect(url.searchParams.get('path')).toBe(place.path);
    act(() => tab.dispose());
    expect(document.querySelector('.gpc-Player')).toBeNull();
  });

  it('says why a recording cannot be played', async () => {
    const message = 'x.gpucluster.jsonl was recorded by a newer gpucluster; <b>install</b> it.';
    const [settings] = answering(422, { code: 'recording_unreadable', message, fields: [] });
    const tab = new RecordingTab({ place, settings, thresholds });
    act(() => Widget.attach(tab, document.body));
    await until(() => tab.node.querySelector('[role=alert]'));
    expect(tab.node.querySelector('[role=alert]')!.textContent).toBe(message);
    expect(tab.node.querySelector('b')).toBeNull();
    act(() => tab.dispose());
  });

  it('is closed before the recording has come', async () => {
    const [settings, asked] = answering(200, SESSION);
    const tab = new RecordingTab({ place, settings, thresholds });
    act(() => tab.dispose());
    await until(() => asked.length);
    await new Promise(resolve => setTimeout(resolve, 50));
    expect(document.querySelector('.gpc-Player')).toBeNull();
  });
});

describe('recording files', () => {
  it('are opened with the player', () => {
    const [settings] = answering(200, SESSION);
    const thresholds = () => DEFAULT_THRESHOLDS;
    const factory = new RecordingFactory({ settings, thresholds }, path => path);
    const added: Partial<DocumentRegistry.IFileType>[] = [];
    const opened: unknown[] = [];
    addRecordingFiles(
      {
        addFileType: (type: Partial<DocumentRegistry.IFileType>) => added.push(type),
        addWidgetFactory: (one: unknown) => opened.push(one)
      } as unknown as DocumentRegistry,
      factory
    );
    expect(added[0].extensions).toEqual(['.gpucluster.jsonl.gz', '.gpucluster.jsonl']);
    expect(added[0].name).toBe(RECORDING_FILES);
    expect(opened).toEqual([factory]);
    expect(factory.defaultFor).toEqual([RECORDING_FILES]);
    expect(factory.readOnly).toBe(true);
  });
});

describe('recording in a notebook', () => {
  class FakeModel implements IWidgetModel {
    constructor(private readonly _state: Record<string, unknown>) {}

    readonly said: Record<string, unknown>[] = [];
    readonly listeners = new Map<string, (...values: never[]) => void>();

    get(name: string): unknown {
      return this._state[name];
    }

    send(content: unknown): void {
      this.said.push(content as Record<string, unknown>);
    }

    on(event: string, listener: (...values: never[]) => void): void {
      this.listeners.set(event, listener);
    }

    off(event: string): void {
      this.listeners.delete(event);
    }
  }

  async function packed(value: unknown): Promise<DataView> {
    const stream = new Blob([JSON.stringify(value)])
      .stream()
      .pipeThrough(new CompressionStream('gzip'));
    return new DataView(await new Response(stream).arrayBuffer());
  }

  let el: HTMLElement;
  let end: () => void;

  beforeEach(() => {
    el = document.createElement('div');
    document.body.append(el);
  });

  afterEach(() => {
    end();
    el.remove();
  });

  it('plays by itself and tells the kernel where it stands', async () => {
    const model = new FakeModel({ view: 'recording', session: await packed(SESSION), speed: 16 });
    end = widgets.render({ model, el });
    await until(() => model.said.length);
    expect(model.said[0]).toMatchObject({ kind: 'opened', keeps: false });
    expect(el.textContent).toContain(LABEL);
    expect(el.querySelector<HTMLSelectElement>('.gpc-Player-speed select')!.value).toBe('16');
    await until(() => model.said.length > 1);
    expect(model.said[1]).toEqual({ kind: 'moment', sample: 1 });
    const kept: unknown[] = [];
    el.addEventListener('gpucluster-picture', event => kept.push((event as CustomEvent).detail));
    const onMessage = model.listeners.get('msg:custom') as (content: unknown) => void;
    onMessage({ kind: 'picture', html: '<b>x</b>', text: 'x' });
    onMessage({ kind: 'picture', html: 7 });
    onMessage(null);
    expect(kept).toEqual([{ html: '<b>x</b>', text: 'x' }]);
    end();
    expect(model.said[2]).toMatchObject({ kind: 'closed', view: model.said[0].view });
    expect(model.listeners.size).toBe(0);
    end = () => undefined;
  });

  it.each([
    ['nothing', () => Promise.resolve(undefined)],
    ['text', () => Promise.resolve('x')],
    ['no gzip', () => Promise.resolve(new DataView(new ArrayBuffer(8)))],
    ['no session', () => packed({ a: 1 })],
    ['null', () => packed(null)]
  ])('says that %s cannot be read', async (_, bytes: () => Promise<unknown>) => {
    const model = new FakeModel({ view: 'recording', session: await bytes() });
    end = widgets.render({ model, el });
    await until(() => el.textContent);
    expect(el.textContent).toBe('This recording cannot be read.');
    expect(model.said).toEqual([]);
  });
});
