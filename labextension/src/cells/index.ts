import type { INotebookTracker, NotebookPanel } from '@jupyterlab/notebook';
import type { CommandRegistry } from '@lumino/commands';

import type { IClusterManager } from '../clusters/tokens';
import { NotebookStrips, type CellStripChoice } from './notebookstrips';
import type { IParts } from './parts';
import { share } from './shared';

/** As in actions/commandids, which is in the panel's script. */
const OPEN_LOG = 'gpucluster:open-log';
const PROFILE_CELL = 'gpucluster:profile-cell';

/** Give the cells of all notebooks their lines; returns what draws them again when the setting has changed. */
export function addCellStrips(
  parts: IParts,
  commands: CommandRegistry,
  manager: IClusterManager,
  notebooks: INotebookTracker,
  settings: Readonly<{ cellStrip: CellStripChoice }>
): () => void {
  share(parts);
  const strips = new Map<NotebookPanel, NotebookStrips>();
  const add = (panel: NotebookPanel): void => {
    strips.set(
      panel,
      new NotebookStrips({
        panel,
        manager,
        choice: () => settings.cellStrip,
        onLog: id => void commands.execute(OPEN_LOG, { id }),
        onProfile: () => void commands.execute(PROFILE_CELL)
      })
    );
    panel.disposed.connect(() => strips.delete(panel));
  };
  notebooks.forEach(add);
  notebooks.widgetAdded.connect((_, panel) => add(panel));
  return () => strips.forEach(one => one.update());
}
