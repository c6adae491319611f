import type { TranslationBundle } from '@jupyterlab/translation';
import { LabIcon, refreshIcon, shareIcon } from '@jupyterlab/ui-components';
import type { CommandRegistry } from '@lumino/commands';

import * as CommandIDs from '../actions/commandids';
import { can, hasEnded, isUsable } from '../clusters/states';
import type { IClusterManager } from '../clusters/tokens';
import { activityIcon, layoutIcon, logIcon } from '../icons';
import { Fragment, h } from '../jsx';
import type { ClusterModel } from '../protocol/messages';
import type { IAsking } from './asking';
import { startAgain } from './startagain';

interface ICardButtonsProps {
  readonly cluster: ClusterModel;
  readonly manager: IClusterManager;
  readonly commands: CommandRegistry;
  readonly trans: TranslationBundle;
  readonly asking: IAsking;
  readonly isScaling: boolean;
  /** The notebook that "Connect" acts on; null: it asks. */
  readonly target: string | null;
  readonly onScale: () => void;
}

/** What can be done with a cluster, as far as its state allows; always at the same place. */
export function CardButtons(props: ICardButtonsProps): JSX.Element {
  const { cluster, manager, commands, trans, asking, isScaling, target, onScale } = props;
  const command = (id: string) => () =>
    void asking.run(id, () => commands.execute(id, { id: cluster.id }));
  // A button that were disabled while it is busy would lose the focus; a second click does nothing anyway.
  const isBusy = asking.busy !== null;
  const usable = isUsable(cluster);
  const canScale = can(cluster, 'scale') || can(cluster, 'adapt');
  const canRestart = can(cluster, 'restart');
  const hasDashboard = usable && cluster.dashboard_path !== null;
  // A button may have moved below the pointer, or do the opposite now: nothing happens at the second of two clicks.
  const once = (act: () => void) => (event: React.MouseEvent) => void (event.detail < 2 && act());
  const records = (
    <>
      <SmallButton
        icon={logIcon}
        label={trans.__('Log')}
        title={trans.__('Show the log')}
        onClick={command(CommandIDs.openLog)}
      />
      <SmallButton
        icon={activityIcon}
        label={trans.__('Activity')}
        title={trans.__('Show who asked what, and when')}
        onClick={command(CommandIDs.openActivity)}
      />
    </>
  );
  if (hasEnded(cluster)) {
    return (
      <>
        <div className="gpc-Buttons gpc-mod-even" aria-busy={isBusy}>
          <button
            className="gpc-Button gpc-mod-accept"
            title={trans.__('Create it again, with the same options')}
            onClick={once(() => void asking.run('again', () => startAgain(cluster, manager)))}
          >
            {trans.__('Start again')}
          </button>
          {cluster.state === 'failed' && (
            <button
              className="gpc-Button"
              title={trans.__('Change the request and create the cluster again')}
              onClick={() => void commands.execute(CommandIDs.createCluster, { from: cluster.id })}
            >
              {trans.__('Edit and retry')}
            </button>
          )}
          <button
            className="gpc-Button"
            title={trans.__('Take it off the list, with its log')}
            onClick={once(() => void asking.run('remove', () => manager.remove(cluster.id)))}
          >
            {trans.__('Remove')}
          </button>
        </div>
        <div className="gpc-Buttons gpc-mod-small">{records}</div>
      </>
    );
  }
  if (cluster.state === 'starting') {
    return (
      <>
        <div className="gpc-Buttons gpc-mod-even" aria-busy={isBusy}>
          <button
            className="gpc-Button"
            disabled={cluster.wanted.stopped}
            onClick={() => void asking.run('cancel', () => manager.stop(cluster.id))}
          >
            {trans.__('Cancel')}
          </button>
        </div>
        <div className="gpc-Buttons gpc-mod-small">{records}</div>
      </>
    );
  }
  return (
    <>
      <div className="gpc-Buttons gpc-mod-even" aria-busy={isBusy}>
        <button
          className="gpc-Button gpc-mod-accept"
          title={
            target === null
              ? trans.__('Choose a notebook to connect')
              : trans.__('Connect %1', target)
          }
          disabled={!usable}
          onClick={command(CommandIDs.connect)}
        >
          {trans.__('Connect')}
        </button>
        <button
          className="gpc-Button"
          title={trans.__('Open Dask’s dashboard in a tab')}
          disabled={!hasDashboard}
          onClick={command(CommandIDs.openDashboard)}
        >
          {trans.__('Dashboard')}
        </button>
        <button
          className="gpc-Button"
          title={
            usable && !canScale
              ? trans.__('The number of its workers cannot be changed')
              : trans.__('Change the number of workers')
          }
          disabled={!usable || !canScale}
          aria-expanded={isScaling}
          onClick={once(onScale)}
        >
          {trans.__('Scale')}
        </button>
        <button
          className="gpc-Button gpc-mod-warn"
          title={trans.__('End the cluster and all its workers')}
          disabled={cluster.wanted.stopped}
          onClick={command(CommandIDs.stopCluster)}
        >
          {trans.__('Stop')}
        </button>
      </div>
      <div className="gpc-Buttons gpc-mod-small" aria-busy={isBusy}>
        {records}
        <SmallButton
          icon={refreshIcon}
          label={trans.__('Restart')}
          title={
            usable && !canRestart
              ? trans.__('Its workers cannot be restarted')
              : trans.__('Restart the workers')
          }
          disabled={!usable || !canRestart}
          onClick={command(CommandIDs.restartWorkers)}
        />
        <button
          className="gpc-SmallButton"
          title={
            cluster.recording === null
              ? trans.__('Record what the gauges show into a file')
              : trans.__('End the recording')
          }
          aria-pressed={cluster.recording !== null}
          disabled={!usable}
          onClick={command(CommandIDs.recordCluster)}
        >
          <span aria-hidden="true">{cluster.recording === null ? '●' : '■'}</span>
          {trans.__('Record')}
        </button>
        <button
          className="gpc-SmallButton gpc-ShareButton"
          title={trans.__('Share a view: a link by which others can look, and nothing else')}
          aria-label={trans.__('Share a view…')}
          disabled={!usable}
          onClick={command(CommandIDs.shareCluster)}
        >
          <shareIcon.react tag="span" className="gpc-Button-icon" />
        </button>
        <button
          className="gpc-SmallButton gpc-LayoutButton"
          title={trans.__('Lay out the dashboard: its most useful pages side by side')}
          aria-label={trans.__('Lay out the dashboard')}
          disabled={!hasDashboard}
          onClick={command(CommandIDs.layOutDashboard)}
        >
          <layoutIcon.react tag="span" className="gpc-Button-icon" />
        </button>
      </div>
    </>
  );
}

interface ISmallButtonProps {
  readonly icon: LabIcon;
  readonly label: string;
  readonly title: string;
  readonly disabled?: boolean;
  readonly onClick: () => void;
}

function SmallButton(props: ISmallButtonProps): JSX.Element {
  const { icon, label, title, disabled, onClick } = props;
  return (
    <button className="gpc-SmallButton" title={title} disabled={disabled} onClick={onClick}>
      <icon.react tag="span" className="gpc-Button-icon" />
      {label}
    </button>
  );
}
