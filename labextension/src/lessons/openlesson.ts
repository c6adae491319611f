import type { INotebookTracker, NotebookPanel } from '@jupyterlab/notebook';
import type { CommandRegistry } from '@lumino/commands';

import { trans } from '../translation';
import type { ILessonStore } from './tokens';
import { isNotebook } from '../actions/connect';
import { findCell, readLink, type ICellFacts, type ITarget } from './links';

/** How long the cell that was opened stands out. */
const SHOWN_MS = 2500;

export interface IOpenOptions {
  commands: CommandRegistry;
  notebooks: INotebookTracker | null;
  store: ILessonStore;
}

/** Open a lesson, and go to the cell that a link means; the learner's copy is made when there is none. */
export async function openLesson(link: string, options: IOpenOptions): Promise<void> {
  const { notebooks } = options;
  const target = readLink(link);
  if (target === null) {
    throw new Error(trans.__('%1 is not a link to a lesson.', link));
  }
  const panel = openNotebook(notebooks, target.lesson) ?? (await openCopy(target.lesson, options));
  if (panel === null) {
    return; // Notebook 7 opens it in a separate browser tab, where this page cannot reach.
  }
  await panel.context.ready;
  await panel.revealed;
  await options.commands.execute('docmanager:open', { path: panel.context.path });
  await goTo(panel, target);
}

/** A notebook of the lesson that is open: the one in front, if it is one. */
function openNotebook(notebooks: INotebookTracker | null, lesson: string): NotebookPanel | null {
  const isLesson = (panel: NotebookPanel): boolean =>
    readFact(panel.model?.getMetadata('gpucluster'), 'lesson') === lesson;
  const current = notebooks?.currentWidget ?? null;
  return current !== null && isLesson(current) ? current : (notebooks?.find(isLesson) ?? null);
}

async function openCopy(lesson: string, options: IOpenOptions): Promise<NotebookPanel | null> {
  const { commands, store } = options;
  await store.refresh();
  const known = () => store.list?.lessons.find(one => one.id === lesson);
  if (known() === undefined) {
    throw new Error(trans.__('Lesson %1 is not available here.', lesson));
  }
  if (known()?.notebook === null) {
    await store.copy();
  }
  const path = known()?.notebook ?? null;
  if (path === null) {
    throw new Error(
      trans.__('Lesson %1 is outside Jupyter’s root folder: %2.', lesson, store.list?.folder ?? '')
    );
  }
  const opened: unknown = await commands.execute('docmanager:open', { path });
  return isNotebook(opened) ? opened : null;
}

async function goTo(panel: NotebookPanel, target: ITarget): Promise<void> {
  if (target.exercise === null && target.anchor === null) {
    return;
  }
  const notebook = panel.content;
  const cells: ICellFacts[] = notebook.widgets.map(({ model }) => ({
    id: model.id,
    exercise: readFact(model.getMetadata('gpucluster'), 'exercise')
  }));
  const place = findCell(cells, target);
  if (place === -1) {
    throw new Error(
      trans.__(
        'Your copy of lesson %1 has no such cell; it is from another version.',
        target.lesson
      )
    );
  }
  notebook.mode = 'command';
  notebook.activeCellIndex = place;
  notebook.deselectAll();
  await notebook.scrollToItem(place, 'start');
  const { node } = notebook.widgets[place];
  node.classList.add('gpc-mod-opened');
  window.setTimeout(() => node.classList.remove('gpc-mod-opened'), SHOWN_MS);
  notebook.node.focus();
}

function readFact(metadata: unknown, name: string): string | null {
  const value = (metadata as Readonly<Record<string, unknown>> | undefined)?.[name];
  return typeof value === 'string' ? value : null;
}
