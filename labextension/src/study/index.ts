import type { JupyterFrontEnd, JupyterFrontEndPlugin } from '@jupyterlab/application';
import { INotebookTracker } from '@jupyterlab/notebook';
import { IRenderMimeRegistry } from '@jupyterlab/rendermime';
import { ITranslator, nullTranslator } from '@jupyterlab/translation';

import { ILessonStore } from '../lessons/tokens';
import { evaluated } from '../actions/links';
import { StudyOutput } from './studyoutput';
import { LESSON_MIME } from './payload';
import { trans, setTranslation } from '../translation';
import * as CommandIDs from '../actions/commandids';

/**
 * Evaluate an expression in the kernel of the notebook that a node is in, and return what it shows as Markdown. Neither
 * the notebook nor its history have anything of it.
 */
async function evaluateBeside(
  node: Node,
  expression: string,
  notebooks: INotebookTracker
): Promise<string> {
  const panel = notebooks.find(candidate => candidate.node.contains(node));
  const kernel = panel?.sessionContext.session?.kernel ?? null;
  if (kernel === null) {
    throw new Error(trans.__('This notebook has no kernel. Start one and try again.'));
  }
  const { answer } = await evaluated(kernel, { answer: expression });
  const text = answer?.['text/markdown'] ?? answer?.['text/plain'];
  if (typeof text !== 'string') {
    throw new Error(trans.__('The kernel did not respond. Are the lessons installed in it?'));
  }
  return text;
}

/** Before HTML, which every output of a lesson has as well. */
const RANK = -10;

/** Draws quizzes, cards, checks and the like; also in notebooks that are not trusted, and without a kernel. */
export const studyPlugin: JupyterFrontEndPlugin<void> = {
  id: 'gpucluster:study',
  description: 'Shows quizzes, cards and checks in notebooks.',
  autoStart: true,
  requires: [IRenderMimeRegistry],
  optional: [ILessonStore, INotebookTracker, ITranslator],
  activate: (
    app: JupyterFrontEnd,
    rendermime: IRenderMimeRegistry,
    store: ILessonStore | null,
    notebooks: INotebookTracker | null,
    translator: ITranslator | null
  ): void => {
    setTranslation((translator ?? nullTranslator).load('gpucluster'));
    // Until the server has answered, it is taken for one that knows lessons.
    const isServed = (known: ILessonStore | null): boolean =>
      known !== null && known.isAvailable !== false;
    const open = (link: string): void => {
      void app.commands.execute(CommandIDs.openLesson, { link });
    };
    rendermime.addFactory(
      {
        safe: true,
        mimeTypes: [LESSON_MIME],
        createRenderer: rendering =>
          new StudyOutput({
            rendering,
            ask:
              notebooks === null
                ? null
                : (node, expression) => evaluateBeside(node, expression, notebooks),
            report: async events => (await store?.report(events)) ?? null,
            open: isServed(store) && app.commands.hasCommand(CommandIDs.openLesson) ? open : null
          })
      },
      RANK
    );
  }
};
