import { englishWords } from '../../labextension/src/gauges';
import {
  englishPlayerWords,
  Player,
  formatPosition,
  placeAt,
  timesOf
} from '../../labextension/src/player/player';
import { Playback } from '../../labextension/src/player/playback';
import type {
  Recording,
  RecordedSession,
  TelemetrySample
} from '../../labextension/src/protocol/messages';
import { gpuSample, sample } from './models';

const LABEL = 'Recorded on NVIDIA H200 at 2026-11-20 14:03 UTC — not a live cluster';
const START = Date.parse('2026-11-20T14:03:00Z');

function at(seconds: number): string {
  return new Date(START + seconds * 1000).toISOString();
}

function session(
  samples: readonly TelemetrySample[],
  changes: Partial<RecordedSession> = {},
  recording: Partial<Recording> = {}
): RecordedSession {
  return {
    recording: {
      kind: 'gpucluster-recording',
      schema_version: 1,
      title: 'k-means',
      recorded_at: at(0),
      backend: 'cuda',
      gpus: ['NVIDIA H200'],
      driver: '580.1',
      n_workers: 2,
      versions: { gpucluster: '0.1.0', dask: '2026.7.1', rapids: '26.10.0' },
      note: 'python kmeans.py',
      simulated: false,
      ...recording
    },
    label: LABEL,
    message: null,
    samples: [...samples],
    ...changes
  };
}

describe('timeline', () => {
  it('tells when each sample is shown, and cuts long silences short', () => {
    const moments = [0, 1, 2.5, 3600, 3601, 3601];
    expect(timesOf(moments.map(seconds => sample({ at: at(seconds) })))).toEqual([
      0, 1, 2.5, 12.5, 13.5, 13.5
    ]);
    expect(timesOf([])).toEqual([]);
    // Whatever a clock has done, time does not go back.
    expect(timesOf([5, 1, 2].map(seconds => sample({ at: at(seconds) })))).toEqual([0, 0, 1]);
    expect(timesOf([sample({ at: 'then' }), sample({ at: at(1) })])).toEqual([0, 0]);
  });

  it.each([
    [-1, 0],
    [0, 0],
    [0.9, 0],
    [1, 1],
    [2.4, 1],
    [2.5, 2],
    [99, 2]
  ])('finds what is shown at %d s', (position, place) => {
    expect(placeAt([0, 1, 2.5], position)).toBe(place);
  });

  it.each([
    [0, '0:00'],
    [9.9, '0:09'],
    [65, '1:05'],
    [3661, '61:01']
  ])('writes %d s', (seconds, text) => {
    expect(formatPosition(seconds)).toBe(text);
  });
});

describe('playback', () => {
  beforeEach(() => {
    jest.useFakeTimers();
  });

  afterEach(() => {
    jest.useRealTimers();
  });

  it('plays as fast as it is told, and ends', () => {
    const moved = jest.fn();
    const playback = new Playback(10, moved);
    playback.play();
    jest.advanceTimersByTime(2000);
    expect(playback.position).toBeCloseTo(2);
    playback.speed = 4;
    jest.advanceTimersByTime(1000);
    expect(playback.position).toBeCloseTo(6);
    jest.advanceTimersByTime(60_000);
    expect([playback.position, playback.isAtEnd, playback.isPlaying]).toEqual([10, true, false]);
    const calls = moved.mock.calls.length;
    jest.advanceTimersByTime(60_000);
    expect(moved.mock.calls.length).toBe(calls);
    // Again from the beginning.
    playback.play();
    expect(playback.position).toBe(0);
    playback.dispose();
    expect(jest.getTimerCount()).toBe(0);
  });

  it('pauses and goes where it is told', () => {
    const playback = new Playback(10, () => undefined);
    playback.play();
    jest.advanceTimersByTime(1000);
    playback.pause();
    jest.advanceTimersByTime(5000);
    expect(playback.position).toBeCloseTo(1);
    playback.seek(7);
    expect(playback.position).toBe(7);
    playback.seek(-5);
    expect(playback.position).toBe(0);
    playback.seek(50);
    expect(playback.position).toBe(10);
    expect(jest.getTimerCount()).toBe(0);
  });
});

describe('player', () => {
  let player: Player;
  let settled: number[];

  function show(recorded: RecordedSession, speed?: number): HTMLElement {
    settled = [];
    player = new Player({
      session: recorded,
      words: englishPlayerWords,
      gaugeWords: englishWords,
      speed,
      onSettled: place => settled.push(place)
    });
    document.body.append(player.node);
    jest.advanceTimersByTime(100);
    return player.node;
  }

  function text(node: Element = player.node): string {
    jest.advanceTimersByTime(50);
    return node.textContent ?? '';
  }

  const GIB = 2 ** 30;
  const memory = Array.from({ length: 20 }, (_, i) =>
    sample({ at: at(i), memory_bytes: [i * GIB, i * GIB], memory_limit_bytes: 100 * GIB })
  );

  beforeEach(() => {
    jest.useFakeTimers();
  });

  afterEach(() => {
    player.dispose();
    expect(player.node.isConnected).toBe(false);
    jest.useRealTimers();
  });

  it('says what it was recorded on, with what, and that it is not live', () => {
    const node = show(session([gpuSample({ at: at(0) })]));
    expect(node.querySelector('.gpc-Player-label')!.textContent).toBe(LABEL);
    expect(node.querySelector('.gpc-Player-about')!.textContent).toBe(
      'python kmeans.py · Workers: 2 · gpucluster 0.1.0 · Dask 2026.7.1 · RAPIDS 26.10.0 · driver 580.1'
    );
    expect(node.getAttribute('aria-label')).toBe('Recording: k-means');
    expect(node.querySelector<HTMLElement>('.gpc-Player-message')!.hidden).toBe(true);
    expect(text()).toContain('VRAM');
  });

  it('says what cannot be played', () => {
    const message = 'The file is truncated: everything after the first 2 samples is lost.';
    const node = show(session(memory, { message }));
    expect(node.querySelector('[role=status]')!.textContent).toBe(message);
  });

  it('shows the gauges of each moment, forwards and backwards', () => {
    const node = show(session(memory));
    expect(text()).toContain('0 / 200 GiB');
    player.playback.play();
    jest.advanceTimersByTime(3000);
    expect(text()).toContain('6 / 200 GiB');
    const slider = node.querySelector('input')!;
    slider.value = '15.5';
    slider.dispatchEvent(new Event('input'));
    expect(text()).toContain('30 / 200 GiB');
    slider.value = '1';
    slider.dispatchEvent(new Event('input'));
    expect(text()).toContain('2 / 200 GiB');
    expect(slider.getAttribute('aria-valuetext')).toBe('0:01 of 0:19');
  });

  it('shows all of a short recording over time', () => {
    const busy = Array.from({ length: 41 }, (_, i) =>
      sample({ at: at(i), cpu_percent: 50, n_threads: 1 })
    );
    const node = show(session(busy));
    player.playback.seek(40);
    text();
    const [path] = [...node.querySelectorAll('.gpc-Sparkline-area')]
      .map(area => area.getAttribute('d') ?? '')
      .filter(drawn => drawn !== '');
    expect(Number(/^M([0-9.]+) /.exec(path)![1])).toBeLessThan(10);
  });

  it('reaches the end by its slider, whatever fraction of a second that is', () => {
    const odd = [0, 1, 2.133].map(seconds => sample({ at: at(seconds) }));
    const node = show(session(odd));
    const slider = node.querySelector('input')!;
    // As browsers do: the last whole step up to the maximum.
    const step = Number(slider.step);
    slider.value = `${Math.floor(Number(slider.max) / step + 1e-6) * step}`;
    slider.dispatchEvent(new Event('input'));
    expect(player.playback.isAtEnd).toBe(true);
    expect(slider.getAttribute('aria-valuetext')).toBe('0:02 of 0:02');
  });

  it('has a button that plays, pauses and plays again', () => {
    const node = show(session(memory), 16);
    const button = node.querySelector('button')!;
    const name = (): string | null => button.getAttribute('aria-label');
    expect(name()).toBe('Play');
    button.click();
    expect(name()).toBe('Pause');
    button.click();
    expect(name()).toBe('Play');
    button.click();
    jest.advanceTimersByTime(2000);
    expect(name()).toBe('Play again');
    expect(text()).toContain('38 / 200 GiB');
    button.click();
    expect(player.playback.isPlaying).toBe(true);
    expect(text()).toMatch(/^k-means.*0:0\d \/ 0:19/);
  });

  it('plays as fast as somebody chooses, even at a speed of their own', () => {
    const node = show(session(memory), 3);
    const select = node.querySelector<HTMLSelectElement>('.gpc-Player-speed select')!;
    expect(select.value).toBe('3');
    expect([...select.options].map(({ value }) => Number(value))).toEqual([0.5, 1, 2, 3, 4, 8, 16]);
    select.value = '8';
    select.dispatchEvent(new Event('change'));
    player.playback.play();
    jest.advanceTimersByTime(1000);
    expect(player.playback.position).toBeCloseTo(8);
  });

  it('tells where it has come to rest, and nothing while it moves', () => {
    show(session(memory));
    player.playback.play();
    jest.advanceTimersByTime(3000);
    expect(settled).toEqual([]);
    player.playback.pause();
    player.playback.seek(7);
    player.playback.seek(9);
    jest.advanceTimersByTime(1000);
    expect(settled).toEqual([9]);
    player.playback.play();
    jest.advanceTimersByTime(20_000);
    expect(settled).toEqual([9, 19]);
  });

  it('forgets the past that has not happened yet', () => {
    const busy = memory.map((one, i) => ({ ...one, received_bytes: [i * 1e6, i * 1e6] }));
    show(session(busy));
    player.playback.seek(19);
    expect(text()).toContain('Transfer1.9 MiB/s');
    player.playback.seek(0);
    // Before the second sample it is unknown how fast data moves.
    expect(text()).toContain('Transfer–');
  });

  it('goes a long way at once', () => {
    const hours = Array.from({ length: 5000 }, (_, i) =>
      sample({ at: at(i), memory_bytes: i * 1e6, memory_limit_bytes: 100 * GIB })
    );
    show(session(hours));
    player.playback.seek(4999);
    expect(text()).toContain('9.3 / 200 GiB');
    player.playback.seek(10);
    expect(text()).toContain('19 MiB / 200 GiB');
  });

  it('offers nothing that only a living cluster could do', () => {
    const node = show(session([gpuSample({ at: at(0) }), gpuSample({ at: at(1) })]));
    [...node.querySelectorAll('button')]
      .find(({ textContent }) => textContent === 'Workers')!
      .click();
    expect(text()).toContain('Worker');
    expect(text()).not.toContain('Retire');
    expect(text()).not.toContain('Process');
  });

  it('shows what a file says as text', () => {
    const evil = '<img src=x onerror=alert(1)>';
    const hostile = gpuSample({
      at: at(0),
      workers: [evil, '1'],
      device_error: [evil, null],
      progress: [{ prefix: evil, processing: 1 }]
    });
    const recording = { title: evil, note: evil, driver: evil, gpus: [evil] };
    const node = show(session([hostile], { label: evil, message: evil }, recording));
    [...node.querySelectorAll('button')]
      .find(({ textContent }) => textContent === 'Workers')!
      .click();
    expect(text()).toContain(evil);
    expect(node.querySelector('img')).toBeNull();
  });

  it('stands still with one sample', () => {
    const node = show(session([sample({ at: at(0) })]));
    expect(node.querySelector('input')!.max).toBe('0');
    player.playback.play();
    jest.advanceTimersByTime(500);
    expect(player.playback.isPlaying).toBe(false);
  });
});
