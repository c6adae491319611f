import widgets from '../../labextension/src/widgets';
import { sampleOf, type IWidgetModel } from '../../labextension/src/widgets/model';
import { isLight } from '../../labextension/src/widgets/theme';
import { cluster, message, sample } from './models';

/** The model of an anywidget, with a kernel that only listens. */
class FakeModel implements IWidgetModel {
  constructor(private readonly _state: Record<string, unknown>) {}

  readonly said: Record<string, unknown>[] = [];

  get(name: string): unknown {
    return this._state[name];
  }

  set(name: string, value: unknown): void {
    this._state[name] = value;
    this.emit(`change:${name}`);
  }

  send(content: unknown): void {
    this.said.push(content as Record<string, unknown>);
  }

  on(event: string, listener: (...values: never[]) => void): void {
    this._listeners.set(event, (this._listeners.get(event) ?? new Set()).add(listener));
  }

  off(event: string, listener: (...values: never[]) => void): void {
    this._listeners.get(event)?.delete(listener);
  }

  emit(event: string, ...values: unknown[]): void {
    for (const listener of this._listeners.get(event) ?? []) {
      listener(...(values as never[]));
    }
  }

  get listening(): number {
    return [...this._listeners.values()].reduce((sum, { size }) => sum + size, 0);
  }

  kinds(): unknown[] {
    return this.said.map(({ kind }) => kind);
  }

  private readonly _listeners = new Map<string, Set<(...values: never[]) => void>>();
}

function bytesOf(value: unknown): DataView {
  const bytes = new TextEncoder().encode(JSON.stringify(value));
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

function stateOf(view: string, more: Record<string, unknown> = {}): Record<string, unknown> {
  return {
    view,
    cluster: cluster({ name: 'blue', state: 'running', n_workers: 2 }),
    sample: new DataView(new ArrayBuffer(0)),
    refusal: '',
    note: '',
    kernel_over: false,
    link: '/base/gpucluster/dashboard/0123abcd/status',
    path: '/base/gpucluster/dashboard/0123abcd',
    page: 'individual-progress',
    pages: [
      ['status', 'Status'],
      ['individual-progress', 'Progress']
    ],
    ...more
  };
}

describe('widgets', () => {
  let el: HTMLElement;
  let end: () => void;

  function show(model: FakeModel): HTMLElement {
    end = widgets.render({ model, el });
    document.body.append(el);
    jest.advanceTimersByTime(1000);
    return el;
  }

  function button(name: string): HTMLButtonElement {
    return Array.from(el.querySelectorAll('button')).find(
      ({ textContent }) => textContent === name
    ) as HTMLButtonElement;
  }

  beforeEach(() => {
    jest.useFakeTimers({ now: Date.now() });
    el = document.createElement('div');
  });

  afterEach(() => {
    end();
    el.remove();
    jest.useRealTimers();
  });

  it('say when they are in the page, have drawn, and are gone', () => {
    const model = new FakeModel(stateOf('gauges'));
    end = widgets.render({ model, el });
    jest.advanceTimersByTime(3000);
    expect(model.said).toEqual([]);
    document.body.append(el);
    jest.advanceTimersByTime(1000);
    expect(model.kinds()).toEqual(['opened']);
    const first = sample();
    model.set('sample', bytesOf({ kind: 'telemetry', sample: first }));
    jest.advanceTimersByTime(100);
    expect(model.kinds()).toEqual(['opened', 'drawn']);
    // Not each sample is answered.
    model.set('note', '');
    model.set('sample', bytesOf({ kind: 'telemetry', sample: first }));
    jest.advanceTimersByTime(100);
    expect(model.kinds()).toEqual(['opened', 'drawn']);
    const [{ view, keeps }] = model.said;
    expect(keeps).toBe(false);
    end();
    expect(model.said[2]).toEqual({ kind: 'closed', view });
    expect(model.listening).toBe(0);
  });

  it('ask again and say so when nothing comes any more', () => {
    const model = new FakeModel(stateOf('card'));
    show(model);
    jest.advanceTimersByTime(15_000);
    expect(el.textContent).toContain('No data from the kernel for');
    expect(model.kinds().filter(kind => kind === 'opened').length).toBeGreaterThan(1);
    model.set('sample', bytesOf({ kind: 'telemetry', sample: sample() }));
    jest.advanceTimersByTime(100);
    expect(el.textContent).not.toContain('No data');
  });

  it('keep the last state when the kernel stops', () => {
    const model = new FakeModel(stateOf('card'));
    show(model);
    model.set('kernel_over', true);
    jest.advanceTimersByTime(100);
    expect(el.textContent).toContain('The kernel has stopped; this is the last state.');
    expect(el.querySelector('form')!.hidden).toBe(true);
    const before = model.said.length;
    jest.advanceTimersByTime(60_000);
    expect(model.said.length).toBe(before);
  });

  it('scale with what was typed, whatever it is', () => {
    const model = new FakeModel(stateOf('card'));
    show(model);
    const input = el.querySelector('input')!;
    const form = el.querySelector('form')!;
    for (const typed of ['3', '']) {
      input.value = typed;
      input.dispatchEvent(new Event('input'));
      form.dispatchEvent(new Event('submit', { cancelable: true }));
    }
    expect(model.said.slice(1)).toEqual([
      { kind: 'scale', n_workers: 3 },
      { kind: 'scale', n_workers: '' }
    ]);
    model.set('refusal', 'Workers: must be a whole number.');
    jest.advanceTimersByTime(100);
    expect(el.querySelector('[role=alert]')!.textContent).toBe('Workers: must be a whole number.');
  });

  it('do not offer to scale where the workers stay as they are', () => {
    const state = stateOf('card');
    const cluster = { ...(state.cluster as object), can: ['restart'] };
    show(new FakeModel({ ...state, cluster }));
    expect(button('Scale').hidden).toBe(true);
    expect(el.querySelector<HTMLElement>('.gpc-WidgetForm label')!.hidden).toBe(true);
    expect(button('Stop').hidden).toBe(false);
  });

  it('ask before they stop anything', () => {
    const model = new FakeModel(stateOf('card'));
    show(model);
    button('Stop').click();
    expect(el.querySelector('[role=alertdialog]')!.textContent).toContain('Stop blue?');
    button('Cancel').click();
    expect(model.kinds()).toEqual(['opened']);
    button('Stop').click();
    el.querySelector<HTMLButtonElement>('[role=alertdialog] .gpc-mod-warn')!.click();
    expect(model.kinds()).toEqual(['opened', 'stop']);
  });

  it.each(['javascript:alert(1)', '//elsewhere.example/', '/\\elsewhere.example/', ''])(
    'link to nothing but this server: %s',
    link => {
      show(new FakeModel(stateOf('card', { link })));
      expect(el.querySelector('a')!.hidden).toBe(true);
      expect(el.querySelector('a')!.getAttribute('href')).toBeNull();
    }
  );

  it('show what names say as text', () => {
    const name = '<img src=x onerror=alert(1)>';
    const model = new FakeModel(
      stateOf('card', {
        cluster: cluster({ name, messages: [message('ended', name)], state: 'running' }),
        note: name,
        refusal: name,
        link: 'javascript:alert(1)'
      })
    );
    show(model);
    expect(el.querySelector('img')).toBeNull();
    expect(el.querySelector('a')!.hidden).toBe(true);
    expect(el.querySelector('a')!.getAttribute('href')).toBeNull();
  });

  it('show a page of the dashboard, and another one', () => {
    const model = new FakeModel(stateOf('dashboard'));
    show(model);
    const frame = el.querySelector('iframe')!;
    expect(frame.getAttribute('src')).toBe(
      '/base/gpucluster/dashboard/0123abcd/individual-progress'
    );
    const select = el.querySelector('select')!;
    select.value = 'status';
    select.dispatchEvent(new Event('change'));
    expect(el.querySelector('iframe')!.getAttribute('src')).toBe(
      '/base/gpucluster/dashboard/0123abcd/status'
    );
    expect(model.said[1]).toEqual({ kind: 'page', page: 'status' });
  });

  it('load the page of a dashboard only while its cluster runs', () => {
    const model = new FakeModel(stateOf('dashboard'));
    const running = model.get('cluster') as Record<string, unknown>;
    show(model);
    expect(el.querySelector('iframe')).not.toBeNull();
    model.set('cluster', { ...running, state: 'stopped' });
    jest.advanceTimersByTime(100);
    expect(el.querySelector('iframe')).toBeNull();
    expect(el.textContent).toContain('has stopped, and its dashboard with it');
    model.set('cluster', running);
    jest.advanceTimersByTime(100);
    expect(el.querySelector('iframe')).not.toBeNull();
    expect(el.textContent).not.toContain('has stopped');
  });

  it.each([
    ['javascript:alert(1)', 'status'],
    ['//elsewhere/x', 'status'],
    ['https://elsewhere/x', 'status'],
    ['/base/x?y=', 'status'],
    ['/base', '../../api'],
    ['/base', '//elsewhere'],
    [null, 'status']
  ])('load nothing from %s and %s', (path, page) => {
    const model = new FakeModel(stateOf('dashboard', { path, page, pages: [[page, 'Page']] }));
    show(model);
    expect(el.querySelector('iframe')).toBeNull();
  });

  it('read samples and nothing else', () => {
    const read = (value: unknown): unknown => sampleOf(new FakeModel({ sample: value }));
    expect(read(bytesOf({ kind: 'telemetry', sample: { id: 'x' } }))).toEqual({ id: 'x' });
    expect(read(new DataView(new ArrayBuffer(0)))).toBeNull();
    expect(read(bytesOf('x').buffer.slice(0, 1))).toBeNull();
    expect(read('text')).toBeNull();
    expect(read(undefined)).toBeNull();
  });
});

describe('theme', () => {
  it.each([
    ['rgb(255, 255, 255)', true],
    ['rgba(224, 224, 224, 0.9)', true],
    ['rgb(33, 33, 33)', false],
    ['color(srgb 0.9 0.9 0.9)', true],
    ['', false]
  ])('%s', (colour, light) => {
    expect(isLight(colour)).toBe(light);
  });
});
