import { said } from '../clusters/states';
import { ClusterGauges, DEFAULT_THRESHOLDS, englishWords } from '../gauges';
import type { ClusterModel, TelemetryHistory, TelemetrySample } from '../protocol/messages';
import { alertNode, type IWidgetView, say, textOf, type IWidgetModel } from './model';
import { WORDS } from './words';

const ENDED = ['stopped', 'failed'];
const MOST_WORKERS = 256;

/** A cluster with its state, its gauges, and the two things that are done to it most. */
export class CardView implements IWidgetView {
  constructor(private readonly _model: IWidgetModel) {
    this.node = document.createElement('div');
    const head = this._add('div', 'gpc-WidgetHead', this.node);
    this._name = this._add('b', 'gpc-WidgetTitle', head);
    this._state = this._add('span', 'gpc-WidgetState', head);
    this._state.setAttribute('role', 'status');
    this._about = this._add('span', 'gpc-WidgetAbout', head);
    this._link = this._add('a', 'gpc-WidgetLink', head);
    this._link.textContent = WORDS.dashboard;
    this._link.target = '_blank';
    this._link.rel = 'noopener';
    this._reason = this._add('div', 'gpc-WidgetReason', this.node);

    this._form = this._add('form', 'gpc-WidgetForm', this.node);
    this._count = this._add('label', '', this._form);
    this._count.textContent = WORDS.workers;
    this._number = this._add('input', '', this._count);
    Object.assign(this._number, { type: 'number', min: '0', max: `${MOST_WORKERS}`, step: '1' });
    this._scale = this._button(WORDS.scale, this._form);
    this._scale.type = 'submit';
    this._stop = this._button(WORDS.stop, this._form);
    this._question = this._add('div', 'gpc-WidgetQuestion', this.node);
    this._question.setAttribute('role', 'alertdialog');
    this._question.hidden = true;

    this.node.append(this.alert);

    this._form.noValidate = true; // Whatever is typed is checked where all requests are.
    this._form.onsubmit = event => {
      event.preventDefault();
      this._askForWorkers();
    };
    this._number.oninput = () => {
      this._isTyping = true;
    };
    this._stop.onclick = () => {
      this._askWhetherToStop();
    };
    this._gauges = gaugesFor(_model);
    this.node.append(this._gauges.node);
  }

  readonly node: HTMLElement;
  readonly alert = alertNode();
  readonly kernelOver = WORDS.kernelOver;

  update(sample: TelemetrySample | null, cluster: ClusterModel, isStill: boolean): void {
    const isOver = isStill || ENDED.includes(cluster.state) || cluster.state === 'stopping';
    this._cluster = cluster;
    this._name.textContent = cluster.name;
    this._state.textContent = cluster.state;
    this._state.dataset.state = cluster.state;
    this._about.textContent = about(cluster);
    const [told] = said(cluster, 'notice', 'ended', 'failed');
    const instructors = said(cluster, 'message').slice(-3);
    this._reason.textContent = [
      told?.text,
      ...instructors.map(({ subject, text }) => `${subject}, instructor: ${text}`)
    ]
      .filter(Boolean)
      .join('\n');
    this._form.hidden = isOver;
    // Some kinds keep the workers that they began with; how many these are, the head says.
    this._count.hidden = this._scale.hidden = !cluster.can.includes('scale');
    this._question.hidden ||= isOver;
    if (!this._isTyping) {
      this._number.value = `${cluster.wanted.n_workers ?? cluster.n_workers}`;
    }
    const link = textOf(this._model, 'link');
    // Of this server only: '//' begins the address of another one.
    this._link.hidden = isOver || !/^\/(?![/\\])/.test(link);
    if (!this._link.hidden) {
      this._link.href = link;
    }
    this._gauges.node.hidden = sample === null;
    this._gauges.update(sample, cluster);
  }

  setHistory(history: TelemetryHistory): void {
    this._gauges.setHistory(history);
  }

  dispose(): void {
    this._gauges.dispose();
  }

  private _askForWorkers(): void {
    const text = this._number.value.trim();
    this._isTyping = false;
    say(this._model, {
      kind: 'scale',
      n_workers: /^-?\d{1,15}$/.test(text) ? Number(text) : text
    });
  }

  private _askWhetherToStop(): void {
    const name = this._cluster?.name ?? '';
    const clients = this._cluster?.n_clients ?? 0;
    const connected =
      clients === 0 ? '' : ` ${clients} client${clients === 1 ? ' is' : 's are'} connected.`;
    const question = document.createElement('span');
    question.textContent = `Stop ${name}?${connected} Its workers and their data are lost.`;
    this._question.setAttribute('aria-label', `Stop ${name}?`);
    this._question.replaceChildren(question);
    const yes = this._button(WORDS.stop, this._question);
    yes.classList.add('gpc-mod-warn');
    const no = this._button(WORDS.cancel, this._question);
    const close = (): void => {
      this._question.hidden = true;
      this._stop.focus();
    };
    yes.onclick = () => {
      close();
      say(this._model, { kind: 'stop' });
    };
    no.onclick = close;
    this._question.onkeydown = event => {
      if (event.key === 'Escape') {
        close();
      }
    };
    this._question.hidden = false;
    no.focus();
  }

  private _button(text: string, parent: HTMLElement): HTMLButtonElement {
    const button = this._add('button', 'gpc-WidgetButton', parent);
    button.type = 'button';
    button.textContent = text;
    return button;
  }

  private _add<K extends keyof HTMLElementTagNameMap>(
    tag: K,
    className: string,
    parent: HTMLElement
  ): HTMLElementTagNameMap[K] {
    const node = document.createElement(tag);
    node.className = className;
    parent.append(node);
    return node;
  }

  private readonly _name: HTMLElement;
  private readonly _state: HTMLElement;
  private readonly _about: HTMLElement;
  private readonly _reason: HTMLElement;
  private readonly _link: HTMLAnchorElement;
  private readonly _form: HTMLFormElement;
  private readonly _count: HTMLElement;
  private readonly _number: HTMLInputElement;
  private readonly _scale: HTMLButtonElement;
  private readonly _stop: HTMLButtonElement;
  private readonly _question: HTMLElement;
  private readonly _gauges: ClusterGauges;
  private _cluster: ClusterModel | null = null;
  private _isTyping = false;
}

function about(cluster: ClusterModel): string {
  if (ENDED.includes(cluster.state)) {
    return '';
  }
  const wanted = cluster.wanted.n_workers;
  const number =
    typeof wanted === 'number' && wanted !== cluster.n_workers
      ? `${cluster.n_workers} of ${wanted}`
      : `${cluster.n_workers}`;
  const kind = cluster.backend_title;
  const workers = `${number} ${kind} worker${number === '1' ? '' : 's'}`.replace('  ', ' ');
  const doing = cluster.progress?.message;
  const open = cluster.network === 'open' ? [WORDS.open] : [];
  return [
    workers,
    ...(doing === undefined ? [] : [doing]),
    ...open,
    ...said(cluster, 'warning').map(({ text }) => text)
  ].join(' · ');
}

/** The gauges of the panel under the cluster's name. */
export class GaugesView implements IWidgetView {
  constructor(model: IWidgetModel) {
    this.node = document.createElement('div');
    this._title = document.createElement('div');
    this._title.className = 'gpc-WidgetTitle';
    this._gauges = gaugesFor(model);
    this.node.append(this._title, this.alert, this._gauges.node);
  }

  readonly node: HTMLElement;
  readonly alert = alertNode();
  readonly kernelOver = WORDS.kernelOver;

  update(sample: TelemetrySample | null, cluster: ClusterModel): void {
    this._title.textContent = cluster.name;
    this._gauges.update(sample, cluster);
  }

  setHistory(history: TelemetryHistory): void {
    this._gauges.setHistory(history);
  }

  dispose(): void {
    this._gauges.dispose();
  }

  private readonly _title: HTMLElement;
  private readonly _gauges: ClusterGauges;
}

/** Gauges whose buttons ask the kernel. */
function gaugesFor(model: IWidgetModel): ClusterGauges {
  return new ClusterGauges({
    words: englishWords,
    thresholds: DEFAULT_THRESHOLDS,
    onRetire: worker => {
      say(model, { kind: 'retire', worker });
    }
  });
}
