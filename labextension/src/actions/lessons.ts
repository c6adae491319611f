import type { JupyterFrontEnd } from '@jupyterlab/application';
import type { ICommandPalette } from '@jupyterlab/apputils';
import type { ILauncher } from '@jupyterlab/launcher';
import type { TranslationBundle } from '@jupyterlab/translation';

import { lessonsIcon } from '../icons';
import { CommandIDs } from './commandids';

interface ILessonOptions {
  app: JupyterFrontEnd;
  launcher: ILauncher | null;
  palette: ICommandPalette | null;
  trans: TranslationBundle;
}

/** Where `gpucluster lab` puts the lessons, below Jupyter's root directory. */
const FOLDER = 'gpucluster-lessons';

/** Offer the lessons, if this Jupyter has them. */
export function addLessons({ app, launcher, palette, trans }: ILessonOptions): void {
  const { commands, serviceManager } = app;
  const add = async (): Promise<void> => {
    const folder = await findLessons(serviceManager.contents);
    if (folder === null) {
      return;
    }
    commands.addCommand(CommandIDs.openLessons, {
      label: args => (args.isLauncher ? trans.__('Lessons') : trans.__('Open the Lessons')),
      caption: trans.__('Learn distributed computing on a cluster of your own'),
      icon: lessonsIcon,
      describedBy: { args: { type: 'object', properties: {} } },
      execute: () => commands.execute('filebrowser:open-path', { path: folder })
    });
    palette?.addItem({ command: CommandIDs.openLessons, category: trans.__('GPU Clusters') });
    launcher?.add({
      command: CommandIDs.openLessons,
      category: trans.__('Other'),
      args: { isLauncher: true },
      rank: 11
    });
  };
  void app.restored.then(add);
}

async function findLessons(
  contents: JupyterFrontEnd['serviceManager']['contents']
): Promise<string | null> {
  const root = await contents.get('', { content: true }).catch(() => null);
  const names = ((root?.content ?? []) as { name: string; type: string }[])
    .filter(entry => entry.type === 'directory')
    .map(entry => entry.name);
  return names.includes(FOLDER) ? FOLDER : null;
}
