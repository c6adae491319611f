import {
  textEditorIcon,
  caretDownIcon,
  caretUpIcon,
  copyIcon,
  downloadIcon,
  ReactWidget
} from '@jupyterlab/ui-components';
import { Clipboard } from '@jupyterlab/apputils';
import type { Message } from '@lumino/messaging';
import { Poll } from '@lumino/polling';
import { Widget } from '@lumino/widgets';
import type { KeyboardEvent as ReactKeyboardEvent } from 'react';

import { BarButton } from '../dashboards/dashboardbar';
import { LogText } from './logtext';
import { ClusterTab, type IClusterTabOptions } from '../shell/clustertab';
import { sentenceOf } from '../panel/asking';
import { trans } from '../translation';
import { Fragment, h } from '../jsx';
import { hasEnded } from '../clusters/states';

/** Lines that are read at first, and again whenever lines are missing. */
const WHOLE = 10_000;

/** Lines that are read to see what is new. */
const END = 250;

/** The log of a cluster, as a tab: it follows what is written, and can be searched. */
export class LogView extends ClusterTab {
  constructor(options: IClusterTabOptions) {
    const label = (name: string): string => trans.__('Log: %1', name);
    const text = new LogText(label(options.name));
    super(new Widget(), options, textEditorIcon, label);
    this.text = text;
    this.content.node.append(text.node);
    this._bar = new LogBar(this);
    this.contentHeader.addWidget(this._bar);
    text.node.addEventListener('scroll', () => this._onScroll());
    // Before JupyterLab's own keys: its search knows nothing of logs.
    window.addEventListener('keydown', this._onKey, true);
    this._poll = new Poll({
      auto: true,
      name: `gpucluster:log:${options.id}`,
      factory: () => this._read(),
      frequency: { interval: 2000, backoff: true, max: 30_000 },
      standby: () => !this.isVisible || document.hidden || this._isComplete
    });
  }

  readonly text: LogText;

  /** What went wrong when the log was read last. */
  get fault(): string | null {
    return this._fault;
  }

  /** Whether the log has been read and holds nothing. */
  get isEmpty(): boolean {
    return this._isRead && this.text.lines.length === 0;
  }

  /** Whether the end is kept in view as lines arrive. */
  get isFollowing(): boolean {
    return this._isFollowing;
  }

  set isFollowing(isFollowing: boolean) {
    this._isFollowing = isFollowing;
    if (isFollowing) {
      this.text.scrollToEnd();
    }
    this._bar.update();
  }

  /** Show an occurrence of what is searched for. */
  step(by: 1 | -1): void {
    this._isFollowing = false;
    this.text.step(by);
    this._bar.update();
  }

  /** Put the whole log on the clipboard. */
  copy(): void {
    Clipboard.copyToSystem(this._whole());
  }

  /** Save the whole log as a file. */
  download(): void {
    const link = document.createElement('a');
    link.href = URL.createObjectURL(new Blob([this._whole()], { type: 'text/plain' }));
    link.download = `${this.clusterName}.log`;
    link.click();
    URL.revokeObjectURL(link.href);
  }

  override dispose(): void {
    if (!this.isDisposed) {
      window.removeEventListener('keydown', this._onKey, true);
      this._poll.dispose();
      super.dispose();
    }
  }

  protected override onAfterShow(message: Message): void {
    super.onAfterShow(message);
    void this._poll.refresh();
  }

  protected override restart(): void {
    this.text.replace([]);
    this._isRead = false;
    this._isComplete = false;
    this._fault = null;
    this._isFollowing = true;
    void this._poll.refresh();
  }

  private _whole(): string {
    return this.text.lines.map(line => `${line}\n`).join('');
  }

  private async _read(): Promise<void> {
    const { id, manager } = this.options;
    // Asked before the log is read: what is written until the end is in it then.
    const cluster = manager.get(id);
    const isOver = manager.isReady && (cluster === undefined || hasEnded(cluster));
    if (this._isRead && manager.isReady && cluster === undefined) {
      // What was removed has no log any more; what is shown stays.
      this._isComplete = true;
      return;
    }
    try {
      const end = this._isRead ? await manager.logs(id, END) : null;
      if (id === this.clusterId && (end === null || !this.text.take(end))) {
        const whole = await manager.logs(id, WHOLE);
        if (id === this.clusterId) {
          this.text.replace(whole);
        }
      }
      if (id !== this.clusterId) {
        // Another cluster was started in its place meanwhile.
        return;
      }
      this._isRead = true;
      this._isComplete = isOver;
      this._fault = null;
      if (this._isFollowing) {
        this.text.scrollToEnd();
      }
    } catch (error) {
      if (id !== this.clusterId) {
        return;
      }
      this._fault = sentenceOf(error);
      this._isComplete = isOver;
      throw error;
    } finally {
      if (!this.isDisposed) {
        this._bar.update();
      }
    }
  }

  private _onScroll(): void {
    const isAtEnd = this.text.isAtEnd;
    if (isAtEnd !== this._isFollowing && this.isVisible) {
      this._isFollowing = isAtEnd;
      this._bar.update();
    }
  }

  private readonly _onKey = (event: KeyboardEvent): void => {
    const isFind = (event.ctrlKey || event.metaKey) && event.key.toLowerCase() === 'f';
    if ((!isFind && event.key !== 'F3') || !this.node.contains(event.target as Node)) {
      return;
    }
    event.preventDefault();
    event.stopPropagation();
    if (isFind) {
      this._bar.focusSearch();
    } else {
      this.step(event.shiftKey ? -1 : 1);
    }
  };

  private readonly _bar: LogBar;
  private readonly _poll: Poll;
  private _fault: string | null = null;
  private _isFollowing = true;
  private _isRead = false;
  /** Whether nothing will be added any more. */
  private _isComplete = false;
}

/** The log that the bar is about. */
interface IShownLog {
  readonly text: LogText;
  readonly isEmpty: boolean;
  readonly fault: string | null;
  isFollowing: boolean;
  step(by: 1 | -1): void;
  copy(): void;
  download(): void;
}

/** Above a log: search, follow, take away, and what went wrong. */
class LogBar extends ReactWidget {
  constructor(private readonly _view: IShownLog) {
    super();
    this.addClass('gpc-DashboardBar');
  }

  /** Begin to search. */
  focusSearch(): void {
    const field = this.node.querySelector<HTMLInputElement>('input[type="search"]');
    field?.focus();
    field?.select();
  }

  protected override render(): JSX.Element {
    const view = this._view;
    return (
      <>
        {this._renderSearch()}
        <label>
          <input
            type="checkbox"
            checked={view.isFollowing}
            onChange={event => {
              view.isFollowing = event.target.checked;
            }}
          />
          {trans.__('Follow')}
        </label>
        <BarButton icon={copyIcon} label={trans.__('Copy the log')} onClick={() => view.copy()} />
        <BarButton
          icon={downloadIcon}
          label={trans.__('Download the log')}
          onClick={() => view.download()}
        />
        {view.isEmpty && <span role="status">{trans.__('The log is empty.')}</span>}
        {view.fault !== null && (
          <span role="alert" className="gpc-DashboardBar-over">
            {view.fault}
          </span>
        )}
      </>
    );
  }

  private _renderSearch(): JSX.Element {
    const { text } = this._view;
    const hasMatches = text.nMatches > 0;
    return (
      <span role="search" className="gpc-LogBar-search">
        <input
          type="search"
          className="gpc-Input"
          placeholder={trans.__('Find')}
          aria-label={trans.__('Find in the log')}
          value={this._searched}
          onChange={event => this._search(event.target.value)}
          onKeyDown={event => this._onKey(event)}
        />
        <span role="status" className="gpc-LogBar-count">
          {this._searched !== '' &&
            (hasMatches
              ? trans.__('%1 of %2', text.current, text.nMatches)
              : trans.__('Not found'))}
        </span>
        <BarButton
          icon={caretUpIcon}
          label={trans.__('Previous (Shift+Enter)')}
          disabled={!hasMatches}
          onClick={() => this._view.step(-1)}
        />
        <BarButton
          icon={caretDownIcon}
          label={trans.__('Next (Enter)')}
          disabled={!hasMatches}
          onClick={() => this._view.step(1)}
        />
        <label>
          <input
            type="checkbox"
            checked={this._isFiltered}
            onChange={event => {
              this._isFiltered = event.target.checked;
              text.isFiltered = this._isFiltered;
              this.update();
            }}
          />
          {trans.__('Matching lines only')}
        </label>
      </span>
    );
  }

  private _search(searched: string): void {
    const { text } = this._view;
    this._searched = searched;
    text.search(searched);
    text.isFiltered = this._isFiltered;
    if (text.nMatches > 0) {
      // The newest one is what people look for in a log.
      this._view.step(-1);
    }
    this.update();
  }

  private _onKey(event: ReactKeyboardEvent): void {
    if (event.key === 'Enter') {
      event.preventDefault();
      this._view.step(event.shiftKey ? -1 : 1);
    } else if (event.key === 'Escape') {
      event.preventDefault();
      this._search('');
      this._view.text.node.focus();
    }
  }

  private _searched = '';
  private _isFiltered = false;
}
