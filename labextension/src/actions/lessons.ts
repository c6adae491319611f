import type { JupyterFrontEnd } from '@jupyterlab/application';
import { Notification, type ICommandPalette } from '@jupyterlab/apputils';
import type { ILauncher } from '@jupyterlab/launcher';
import type { INotebookTracker } from '@jupyterlab/notebook';
import type { ReadonlyPartialJSONObject } from '@lumino/coreutils';

import { confirmLoss } from '../shell/confirm';
import { ClassTab } from '../classroom/classtab';
import { described, notifyingErrors } from './withcluster';
import type { ILessonStore } from '../lessons/tokens';
import type { LessonModel } from '../protocol/messages';
import * as CommandIDs from './commandids';
import { trans } from '../translation';
import { openLesson } from '../lessons/openlesson';
import { lessonsIcon } from '../icons';

export interface ILessonOptions {
  app: JupyterFrontEnd;
  store: ILessonStore;
  notebooks: INotebookTracker | null;
  launcher: ILauncher | null;
  palette: ICommandPalette | null;
  /** Show the list of lessons. */
  showLessons: () => void;
}

/** Register what can be done with lessons; offer it once the server is known to have some. */
export function addLessons(options: ILessonOptions): void {
  const { app, store, notebooks, showLessons } = options;
  const { commands } = app;
  const isVisible = (): boolean => store.isAvailable === true;
  const lesson = {
    type: 'string'
  };
  const add = (
    id: string,
    label: string,
    properties: Parameters<typeof described>[0],
    execute: (args: ReadonlyPartialJSONObject) => unknown
  ): void => {
    commands.addCommand(id, {
      label,
      isVisible,
      describedBy: described(properties),
      execute: args => notifyingErrors(() => execute(args))
    });
  };

  commands.addCommand(CommandIDs.openLessons, {
    label: trans.__('Lessons'),
    caption: trans.__('Learn distributed computing on your own cluster'),
    icon: lessonsIcon,
    isVisible,
    describedBy: described({}),
    execute: showLessons
  });
  add(
    CommandIDs.openLesson,
    trans.__('Open Lesson'),
    {
      link: {
        type: 'string',
        description: trans.__("A lesson '06', an exercise '06.2' or a cell '06#anchor'.")
      }
    },
    args => openLesson(textOf(args.link), { commands, notebooks, store })
  );
  add(CommandIDs.openRecall, trans.__('Open Lesson without Text'), { lesson }, async args => {
    const { written } = await store.recall(textOf(args.lesson));
    await commands.execute('docmanager:open', { path: written[0] });
  });
  add(CommandIDs.resetLesson, trans.__('Start Lesson Over…'), { lesson }, async args => {
    const known = store.list?.lessons.find(one => one.id === args.lesson);
    if (known !== undefined && (await confirmReset(known))) {
      await resetLesson(known, options);
    }
  });
  add(CommandIDs.deleteProgress, trans.__('Delete My Lesson Progress…'), {}, async () => {
    if (await confirmDelete(store)) {
      await store.forget();
      Notification.success(trans.__('Your progress was deleted.'), { autoClose: 4000 });
    }
  });
  commands.addCommand(CommandIDs.openClass, {
    label: trans.__('Show the Class'),
    caption: trans.__('Learners’ progress and the checks that fail most'),
    icon: lessonsIcon,
    isVisible: () => store.list?.has_class === true,
    describedBy: described({}),
    execute: () => {
      if (![...app.shell.widgets('main')].some(widget => widget.id === ClassTab.ID)) {
        app.shell.add(new ClassTab({ store }), 'main');
      }
      app.shell.activateById(ClassTab.ID);
    }
  });
  void app.restored.then(() => offerLessons(options));
}

async function offerLessons(options: ILessonOptions): Promise<void> {
  const { store, palette, launcher } = options;
  await store.refresh();
  if (store.isAvailable !== true) {
    return;
  }
  const category = trans.__('GPU Clusters');
  for (const command of [CommandIDs.openLessons, CommandIDs.openClass, CommandIDs.deleteProgress]) {
    palette?.addItem({ command, category });
  }
  launcher?.add({
    command: CommandIDs.openLessons,
    category: trans.__('Other'),
    args: { isLauncher: true },
    rank: 11
  });
}

async function resetLesson(lesson: LessonModel, options: ILessonOptions): Promise<void> {
  const { notebooks, store } = options;
  const open = notebooks?.find(panel => panel.context.path === lesson.notebook);
  // What is typed and not saved must be in the backup too.
  if (open?.context.model.dirty === true) {
    await open.context.save();
  }
  // JupyterLab asks for the checkpoints of what was just saved and is not told that the file moves:
  // our own question comes after its, so with our answer it has its.
  await open?.context.listCheckpoints().catch(() => undefined);
  const { backup } = await store.reset(lesson.id);
  await open?.context.revert();
  if (backup !== null) {
    Notification.success(trans.__('Your previous copy is in %1.', backup), { autoClose: 8000 });
  }
}

async function confirmReset(lesson: LessonModel): Promise<boolean> {
  return confirmLoss(
    trans.__('Start lesson %1 over?', lesson.id),
    trans.__(
      'You get a fresh copy of “%1”. Your current copy is moved to a folder next to it. Your progress is kept.',
      lesson.title
    ),
    trans.__('Start Over')
  );
}

async function confirmDelete(store: ILessonStore): Promise<boolean> {
  return confirmLoss(
    trans.__('Delete your progress?'),
    trans.__(
      'This deletes the checks, answers, cards and predictions in %1. Your notebooks are not changed.',
      store.list?.progress.path ?? ''
    ),
    trans.__('Delete')
  );
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}
