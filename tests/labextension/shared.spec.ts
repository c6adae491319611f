import { showSharedView } from '../../labextension/src/widgets/sharedview';
import { cluster, sample } from './models';

/** The WebSocket of the page, which a test sends messages through. */
class FakeSocket {
  static last: FakeSocket;

  constructor() {
    FakeSocket.last = this;
  }

  send(event: Record<string, unknown>): void {
    this.onmessage?.({ data: JSON.stringify(event) });
  }

  close(): void {
    this.isClosed = true;
  }

  onmessage: ((message: { data: string }) => void) | null = null;
  isClosed = false;
}

const settle = (): Promise<void> => new Promise(resolve => setTimeout(resolve, 20));
const OVER = 'The link has expired or was revoked, or the cluster has stopped.';

describe('shared page', () => {
  let host: HTMLElement;
  const of = (name: string): HTMLElement => host.querySelector<HTMLElement>(name)!;
  const now = (): string | null => of('.gpc-Gauge-ends > :last-child').textContent;

  async function open(state: 'running' | 'failed'): Promise<void> {
    host = document.createElement('main');
    document.body.replaceChildren(host);
    showSharedView(host);
    await settle();
    FakeSocket.last.send({
      kind: 'hello',
      cluster: cluster({ state }),
      ends_at: '2026-01-01T12:00:00.000Z',
      now: '2026-01-01T10:00:00.000Z',
      pages: []
    });
    FakeSocket.last.send({ kind: 'telemetry', sample: sample() });
  }

  beforeEach(() => {
    jest.spyOn(window, 'setInterval').mockReturnValue(0 as never);
    Object.assign(window, {
      WebSocket: FakeSocket,
      fetch: (path: string) => Promise.resolve({ ok: path === 'session' })
    });
  });

  it('has no live marks when the link was revoked', async () => {
    await open('running');
    expect([of('.gpc-WidgetState').hidden, now()]).toEqual([false, 'now']);
    FakeSocket.last.send({ kind: 'over', message: OVER });
    expect(of('[role=status]').textContent).toBe(`${OVER} Last known state of the cluster:`);
    expect(of('.gpc-WidgetState').hidden).toBe(true);
    expect(now()).toMatch(/^\d\d:\d\d$/);
    expect(FakeSocket.last.isClosed).toBe(true);
  });

  it('keeps how the cluster has ended', async () => {
    await open('failed');
    FakeSocket.last.send({ kind: 'over', message: OVER });
    expect(of('.gpc-WidgetState').hidden).toBe(false);
    expect(of('.gpc-WidgetState').textContent).toBe('failed');
  });
});
