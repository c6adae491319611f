import { element } from './element';
import type { IGaugeContext } from './gaugeset';
import { disclosure } from './disclosure';
import { CPU_MARKS, GPU_MARKS, sentenceOf } from './stackbar';
import type { IThresholds } from './levels';
import { formatPercent } from './units';
import { fill, type Part } from './words';

/** In the order in which they are explained. */
const SHARED: readonly Part[] = ['tasks', 'network'];
const ON_CPUS: readonly Part[] = [
  'cpu',
  'memory',
  'memoryPast',
  'managed',
  'unmanaged',
  'tierDisk'
];
const ON_GPUS: readonly Part[] = [
  'gpu',
  'vram',
  'vramPast',
  'rmmUsed',
  'rmmFree',
  'rmmPool',
  'cluster',
  'others',
  'unknown',
  'free',
  'cpu',
  'memory',
  'unmanaged',
  'results',
  'tierDevice',
  'tierHost',
  'tierDisk',
  'power',
  'temperature',
  'pcie',
  'nvlink'
];

/** What the colours and figures mean; folded at first. */
export class Legend {
  constructor(private readonly _context: IGaugeContext) {
    const { node, content } = disclosure(_context.words.legend, 'gpc-Legend', () => this._draw());
    this.node = node;
    this._content = content;
  }

  readonly node: HTMLElement;

  /** Explain what is there alone, with the thresholds of now. */
  update(hasGpu: boolean): void {
    const { thresholds } = this._context;
    if (hasGpu !== this._hasGpu || thresholds !== this._thresholds) {
      this._hasGpu = hasGpu;
      this._thresholds = thresholds;
      this._draw();
    }
  }

  private _draw(): void {
    if (this._content.hidden) {
      return;
    }
    const { words } = this._context;
    this._content.replaceChildren();
    const list = element('dl', 'gpc-Legend-list', this._content);
    for (const part of [...(this._hasGpu ? ON_GPUS : ON_CPUS), ...SHARED]) {
      this._add(list, part, words.parts[part].sentence);
    }
    for (const mark of this._hasGpu ? GPU_MARKS : CPU_MARKS) {
      this._add(list, mark.part, sentenceOf(mark, words));
    }
    const { warningPercent: one, criticalPercent: other } = this._context.thresholds;
    const warning = formatPercent(Math.min(one, other));
    const critical = formatPercent(Math.max(one, other));
    this._write(list, 'warning', words.warning, fill(words.warningFrom, { percent: warning }));
    this._write(list, 'critical', words.critical, fill(words.criticalFrom, { percent: critical }));
  }

  private _add(list: HTMLElement, part: Part, sentence: string): void {
    this._write(list, part, this._context.words.parts[part].name, sentence);
  }

  private _write(list: HTMLElement, swatch: string, name: string, sentence: string): void {
    const term = element('dt', '', list);
    const sample = element('span', 'gpc-Segment gpc-Swatch', term);
    sample.dataset.part = swatch;
    sample.setAttribute('aria-hidden', 'true');
    term.append(name);
    element('dd', '', list).textContent = sentence;
  }

  private readonly _content: HTMLElement;
  private _hasGpu = false;
  private _thresholds: IThresholds | null = null;
}
