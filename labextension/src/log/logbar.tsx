import {
  caretDownIcon,
  caretUpIcon,
  copyIcon,
  downloadIcon,
  ReactWidget
} from '@jupyterlab/ui-components';
import { type KeyboardEvent } from 'react';

import { BarButton } from '../dashboards/dashboardbar';
import { Fragment, h } from '../jsx';
import type { LogText } from './logtext';
import { trans } from '../translation';

/** The log that the bar is about. */
export interface IShownLog {
  readonly text: LogText;
  readonly isEmpty: boolean;
  readonly fault: string | null;
  isFollowing: boolean;
  step(by: 1 | -1): void;
  copy(): void;
  download(): void;
}

/** Above a log: search, follow, take away, and what went wrong. */
export class LogBar extends ReactWidget {
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

  private _onKey(event: KeyboardEvent): void {
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
