import type { TranslationBundle } from '@jupyterlab/translation';
import { LabIcon, refreshIcon, stopIcon } from '@jupyterlab/ui-components';
import type { CommandRegistry } from '@lumino/commands';
import React from 'react';

import { CommandIDs } from '../actions/commandids';
import { can, hasEnded, isUsable } from '../clusters/states';
import type { IClusterManager } from '../clusters/tokens';
import { activityIcon, layoutIcon, logIcon } from '../icons';
import type { ClusterModel } from '../protocol/messages';
import type { IAsking } from './asking';

interface ICardButtonsProps {
  readonly cluster: ClusterModel;
  readonly manager: IClusterManager;
  readonly commands: CommandRegistry;
  readonly trans: TranslationBundle;
  readonly asking: IAsking;
  readonly isScaling: boolean;
  readonly onScale: () => void;
}

/** What can be done with a cluster, as far as its state allows. */
export function CardButtons(props: ICardButtonsProps): JSX.Element {
  const { cluster, manager, commands, trans, asking, isScaling, onScale } = props;
  const command = (id: string) => () =>
    void asking.run(id, () => commands.execute(id, { id: cluster.id }));
  // A button that were disabled while it is busy would lose the focus; a second click does nothing anyway.
  const isBusy = asking.busy !== null;
  const usable = isUsable(cluster);
  const canScale = can(cluster, 'scale') || can(cluster, 'adapt');
  const canRestart = can(cluster, 'restart');
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
  if (hasEnded(cluster) || cluster.state === 'starting') {
    return (
      <div className="gpc-Buttons" aria-busy={isBusy}>
        {hasEnded(cluster) ? (
          <button
            className="gpc-Button"
            onClick={() => void asking.run('remove', () => manager.remove(cluster.id))}
          >
            {trans.__('Remove')}
          </button>
        ) : (
          <button
            className="gpc-Button"
            disabled={cluster.wanted.stopped}
            onClick={() => void asking.run('cancel', () => manager.stop(cluster.id))}
          >
            {trans.__('Cancel')}
          </button>
        )}
        {records}
      </div>
    );
  }
  return (
    <>
      <div className="gpc-Buttons gpc-mod-even" aria-busy={isBusy}>
        <button
          className="gpc-Button gpc-mod-accept"
          title={trans.__('Connect the notebook in view')}
          disabled={!usable}
          onClick={command(CommandIDs.connect)}
        >
          {trans.__('Connect')}
        </button>
        <button
          className="gpc-Button"
          title={trans.__('Open Dask’s dashboard in a tab')}
          disabled={!usable || cluster.dashboard_path === null}
          onClick={command(CommandIDs.openDashboard)}
        >
          {trans.__('Dashboard')}
        </button>
        <button
          className="gpc-Button gpc-LayoutButton"
          title={trans.__('Lay out the dashboard: its most useful pages side by side')}
          aria-label={trans.__('Lay out the dashboard')}
          disabled={!usable || cluster.dashboard_path === null}
          onClick={command(CommandIDs.layOutDashboard)}
        >
          <layoutIcon.react tag="span" className="gpc-Button-icon" />
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
          onClick={onScale}
        >
          {trans.__('Scale')}
        </button>
      </div>
      <div className="gpc-Buttons gpc-mod-even gpc-mod-small" aria-busy={isBusy}>
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
        <SmallButton
          icon={stopIcon}
          label={trans.__('Stop')}
          title={trans.__('Stop the cluster')}
          disabled={cluster.wanted.stopped}
          onClick={command(CommandIDs.stopCluster)}
        />
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
