import type { TelemetrySample } from '../protocol/messages';
import { element, setAttribute, setText } from './element';
import { isLate } from './workerrow';
import { entry, hostsOf } from './columns';
import { hasGpu } from './figures';
import { fill, type IGaugeWords } from './words';

/** From more machines on, each is folded at first. */
const MOST_OPEN = 8;
const UNKNOWN = '?';

/** What a line of the list is about: a worker, or a machine with the workers below it. */
export interface IListItem {
  readonly key: string;
  /** Which worker of the sample; -1 for a machine. */
  readonly worker: number;
  readonly host: string;
}

/** What the heading of a machine says. */
export interface IHostSums {
  workers: number;
  gpus: number;
  /** Workers that have not reported for long. */
  silent: number;
  /** Workers whose GPU cannot be read. */
  lost: number;
}

/** The lines of the list: by machine where there are several, each with a heading that folds. */
export class HostGroups {
  /** All lines that are not folded away. */
  items: readonly IListItem[] = [];
  readonly sums = new Map<string, IHostSums>();

  /** Read a sample; whether the lines are others than before. */
  update(sample: TelemetrySample): boolean {
    const hosts = hostsOf(sample);
    const isGrouped = hosts.length > 1;
    this._isFolded ??= isGrouped ? hosts.length > MOST_OPEN : null;
    this.sums.clear();
    const of = sample.workers.map((_, i) => {
      const host = isGrouped ? (entry(sample, 'host', i) ?? UNKNOWN) : '';
      if (isGrouped) {
        this._count(sample, i, host);
      }
      return host;
    });
    const isSame =
      of.length === this._of.length &&
      of.every((host, i) => host === this._of[i] && sample.workers[i] === this._names[i]);
    if (!isSame) {
      this._of = of;
      this._names = sample.workers;
      this._list();
    }
    return !isSame;
  }

  isOpen(host: string): boolean {
    return this._turned.has(host) === (this._isFolded === true);
  }

  /** Fold a machine, or unfold it. */
  turn(host: string): void {
    if (!this._turned.delete(host)) {
      this._turned.add(host);
    }
    this._list();
  }

  /** The machine of a worker; empty where there is only one. */
  hostOf(name: string): string {
    return this._of[this._names.indexOf(name)] ?? '';
  }

  private _list(): void {
    const groups = new Map<string, IListItem[]>();
    this._of.forEach((host, worker) => {
      const group = groups.get(host) ?? [];
      groups.set(host, group);
      group.push({ key: this._names[worker], worker, host });
    });
    this.items = [...groups].flatMap(([host, workers]) =>
      host === ''
        ? workers
        : [{ key: `${host}\n`, worker: -1, host }, ...(this.isOpen(host) ? workers : [])]
    );
  }

  private _count(sample: TelemetrySample, i: number, host: string): void {
    const sums = this.sums.get(host) ?? { workers: 0, gpus: 0, silent: 0, lost: 0 };
    this.sums.set(host, sums);
    sums.workers += 1;
    sums.gpus += hasGpu(sample, i) ? 1 : 0;
    sums.silent += isLate(sample, i) ? 1 : 0;
    sums.lost += entry(sample, 'device_error', i) === null ? 0 : 1;
  }

  private _of: readonly string[] = [];
  private _names: readonly string[] = [];
  private _isFolded: boolean | null = null;
  /** Those that the user has folded or unfolded. */
  private readonly _turned = new Set<string>();
}

/** The heading of a machine: its name, what it has, and a mark where workers are silent or cannot be read. */
export class HostRow {
  constructor(
    private readonly _words: IGaugeWords,
    host: string,
    onTurn: (host: string) => void
  ) {
    this.node = element('div', 'gpc-HostRow gpc-Disclosure');
    this.node.setAttribute('role', 'listitem');
    this._button = element('button', 'gpc-Disclosure-button', this.node);
    this._button.type = 'button';
    this._button.textContent = host;
    this._button.title = host;
    this._mark = element('span', 'gpc-HostRow-mark', this.node);
    this._has = element('span', '', this.node);
    this.node.addEventListener('click', () => onTurn(host));
  }

  readonly node: HTMLElement;

  /** Whether it is the line that the keyboard has reached. */
  set isActive(isActive: boolean) {
    this._button.tabIndex = isActive ? 0 : -1;
  }

  focus(options: FocusOptions): void {
    this._button.focus(options);
  }

  update({ workers, gpus, silent, lost }: IHostSums, isOpen: boolean): void {
    const words = this._words;
    setAttribute(this._button, 'aria-expanded', `${isOpen}`);
    const [one, several] = [words.hostWorker, words.hostWorkers];
    const parts = [fill(workers === 1 ? one : several, { count: `${workers}` })];
    if (gpus > 0) {
      parts.push(fill(gpus === 1 ? words.hostGpu : words.hostGpus, { count: `${gpus}` }));
    }
    setText(this._has, parts.join(' · '));
    const bad = lost > 0 ? lost : silent;
    setText(
      this._mark,
      bad === 0
        ? ''
        : `▲ ${fill(lost > 0 ? words.hostLost : words.hostSilent, { count: `${bad}` })}`
    );
    this.node.classList.toggle('gpc-mod-lost', lost > 0);
  }

  private readonly _button: HTMLButtonElement;
  private readonly _mark: HTMLElement;
  private readonly _has: HTMLElement;
}
