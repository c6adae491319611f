import { element, setAttribute, setText } from './element';
import type { IHostSums } from './hostgroups';
import { fill, type IGaugeWords } from './words';

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
