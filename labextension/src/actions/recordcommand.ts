import type { CommandRegistry } from '@lumino/commands';
import { NotebookActions, type INotebookTracker, type NotebookPanel } from '@jupyterlab/notebook';
import type { TranslationBundle } from '@jupyterlab/translation';

import type { IClusterManager } from '../clusters/tokens';
import { recordingIcon } from '../icons';
import type { ClusterModel } from '../protocol/messages';
import { recordCode } from './cellcode';
import { CommandIDs } from './commandids';
import { NotebooksInSight } from './notebooks';
import { ClusterCommand, described, idArgument } from './withcluster';

export interface IRecordOptions {
  commands: CommandRegistry;
  manager: IClusterManager;
  notebooks: INotebookTracker | null;
  trans: TranslationBundle;
}

const STOP = '%gpucluster record --stop';

/**
 * Register what records a cluster: the notebook in sight does it, in a cell that says how it ends. Asked for once more,
 * it ends.
 */
export function addRecordCommand({ commands, manager, notebooks, trans }: IRecordOptions): void {
  const about = new ClusterCommand(manager, trans);
  const inSight = new NotebooksInSight(notebooks);
  const recording = new Map<string, NotebookPanel>();
  const record = async (cluster: ClusterModel): Promise<void> => {
    const busy = recording.get(cluster.id);
    recording.delete(cluster.id);
    if (busy !== undefined && !busy.isDisposed) {
      await runBelow(busy, STOP);
      return;
    }
    const panel = inSight.last();
    if (panel === null) {
      throw new Error(trans.__('Open a notebook: it records %1.', cluster.name));
    }
    if (!(await runBelow(panel, recordCode(cluster.name, new Date())))) {
      throw new Error(
        trans.__('%1 is not recorded; the cell in %2 says why.', cluster.name, panel.title.label)
      );
    }
    recording.set(cluster.id, panel);
  };
  commands.addCommand(CommandIDs.recordCluster, {
    label: trans.__('Record GPU Cluster, or End Its Recording'),
    caption: trans.__('Keep what the gauges show in a file, to be played again anywhere'),
    icon: recordingIcon,
    describedBy: described({ id: idArgument(trans) }),
    isToggled: args => typeof args.id === 'string' && recording.has(args.id),
    execute: about.execute(trans.__('Record'), async cluster => {
      await record(cluster);
      commands.notifyCommandChanged(CommandIDs.recordCluster);
    })
  });
}

async function runBelow(panel: NotebookPanel, code: string): Promise<boolean> {
  const notebook = panel.content;
  await panel.sessionContext.ready;
  NotebookActions.insertBelow(notebook);
  notebook.activeCell?.model.sharedModel.setSource(code);
  return NotebookActions.run(notebook, panel.sessionContext);
}
