import {
  addIcon,
  launchIcon,
  ReactWidget,
  refreshIcon,
  type LabIcon,
  tabIcon
} from '@jupyterlab/ui-components';
import type { CommandRegistry } from '@lumino/commands';

import * as CommandIDs from '../actions/commandids';
import { pageTitle } from './pages';
import type { ClusterModel } from '../protocol/messages';
import type { PageLists } from './pagelists';
import { Fragment, h } from '../jsx';
import { trans } from '../translation';

export interface IDashboardBarOptions {
  readonly pages: PageLists;
  readonly commands: CommandRegistry;
}

/** The page that the bar is about. */
export interface IShownPage {
  readonly cluster: ClusterModel | undefined;
  readonly clusterId: string;
  readonly clusterName: string;
  readonly url: string;
  readonly isLive: boolean;
  page: string;
  reload(): void;
}

/** Above a page: which one, another one, the default arrangement. */
export class DashboardBar extends ReactWidget {
  constructor(
    private readonly _view: IShownPage,
    private readonly _options: IDashboardBarOptions
  ) {
    super();
    this.addClass('gpc-DashboardBar');
  }

  protected override render(): JSX.Element {
    const view = this._view;
    const { commands } = this._options;
    const run =
      (command: string, args: Record<string, string | boolean> = {}) =>
      () =>
        void commands.execute(command, { id: view.clusterId, ...args });
    return (
      <>
        {this._renderPages()}
        <BarButton
          icon={addIcon}
          label={trans.__('Open another page of this dashboard')}
          disabled={!view.isLive}
          onClick={run(CommandIDs.openDashboard, { choose: true })}
        />
        <BarButton
          icon={tabIcon}
          label={trans.__('Open dashboard layout')}
          disabled={!view.isLive}
          onClick={run(CommandIDs.layOutDashboard)}
        />
        <BarButton
          icon={refreshIcon}
          label={trans.__('Reload this page')}
          disabled={!view.isLive}
          onClick={() => view.reload()}
        />
        {view.isLive && (
          <a
            className="gpc-DashboardBar-button"
            href={view.url}
            target="_blank"
            rel="noreferrer"
            title={trans.__('Open in a browser tab')}
            aria-label={trans.__('Open in a browser tab')}
          >
            <launchIcon.react tag="span" className="gpc-Button-icon" />
          </a>
        )}
      </>
    );
  }

  private _renderPages(): JSX.Element {
    const view = this._view;
    const { pages } = this._options;
    const cluster = view.cluster;
    if (view.isLive && cluster !== undefined && cluster.id !== this._listed) {
      this._listed = cluster.id;
      void pages.groups(cluster).then(() => this.update());
    }
    const groups = pages.known(cluster);
    const isListed = groups.some(group => group.pages.some(page => page.path === view.page));
    return (
      <select
        className="gpc-Input"
        aria-label={trans.__('Dashboard page')}
        value={view.page}
        onChange={event => {
          view.page = event.target.value;
        }}
      >
        {!isListed && <option value={view.page}>{pageTitle(view.page)}</option>}
        {groups.map(group => (
          <optgroup key={group.title} label={group.title}>
            {group.pages.map(page => (
              <option key={page.path} value={page.path}>
                {page.title}
              </option>
            ))}
          </optgroup>
        ))}
      </select>
    );
  }

  /** The cluster whose pages have been asked for. */
  private _listed = '';
}

interface IBarButtonProps {
  readonly icon: LabIcon;
  readonly label: string;
  readonly disabled?: boolean;
  readonly onClick: () => void;
}

/** A button of a bar: an icon whose label is read out and shown on hovering. */
export function BarButton(props: IBarButtonProps): JSX.Element {
  const { icon, label, disabled, onClick } = props;
  return (
    <button
      type="button"
      className="gpc-DashboardBar-button"
      title={label}
      aria-label={label}
      disabled={disabled}
      onClick={onClick}
    >
      <icon.react tag="span" className="gpc-Button-icon" />
    </button>
  );
}
