import type { CommandRegistry } from '@lumino/commands';
import { Poll } from '@lumino/polling';
import { Widget } from '@lumino/widgets';
import { createRoot, type Root } from 'react-dom/client';

import { trans } from '../translation';
import { lessonsIcon } from '../icons';
import { h } from '../jsx';
import { LessonList } from './lessonlist';
import type { ILessonStore } from './tokens';
import { MovableSections } from '../panel/movablesections';

/** How often to look for new progress while lessons are shown. */
const LESSONS_MS = 5000;

/** The lessons, in a tab of the sidebar; JupyterLab can move them below the files, and then there is no tab. */
export class LessonsPanel extends Widget {
  constructor(options: LessonsPanel.IOptions) {
    super();
    this._options = options;
    const { store } = options;
    this.id = 'gpucluster-lessons-panel';
    this.addClass('gpc-ClusterPanel');
    this.title.icon = lessonsIcon;
    this.title.caption = trans.__('Lessons');
    this.node.setAttribute('role', 'region');
    this.node.setAttribute('aria-label', trans.__('Lessons'));
    this.sections = new MovableSections({ 'gpucluster-lessons': trans.__('Lessons') }, () => {
      this._draw();
      options.onMoved();
    });
    const [section] = this.sections.all;
    section.place(this.node);
    this._root = createRoot(section.node);
    store.changed.connect(this._draw, this);
    this._draw();
    this._poll = new Poll({
      factory: () => store.refresh(),
      frequency: { interval: LESSONS_MS, backoff: false },
      // Kernels write the learner's progress without notifying this page.
      standby: () =>
        document.hidden || !(this.isMoved || this.isVisible || options.isShownElsewhere())
    });
  }

  readonly sections: MovableSections;

  /** Whether they are in another panel. */
  get isMoved(): boolean {
    return this.sections.all[0].isMoved;
  }

  /** Bring them to the front, wherever they are, and go on there. */
  reveal(activate: (id: string) => void): void {
    const { node, parent } = this.sections.all[0];
    for (let one: Widget | null = this.isMoved ? parent : this; one !== null; one = one.parent) {
      activate(one.id);
    }
    node.scrollIntoView({ block: 'start' });
    node.querySelector<HTMLElement>('button')?.focus();
  }

  override dispose(): void {
    if (!this.isDisposed) {
      this._poll.dispose();
      this._root.unmount();
      super.dispose();
    }
  }

  protected override onAfterShow(): void {
    void this._options.store.refresh();
  }

  private _draw(): void {
    const { store, commands } = this._options;
    this._root.render(<LessonList store={store} commands={commands} isTitled={!this.isMoved} />);
  }

  private readonly _options: LessonsPanel.IOptions;
  private readonly _poll: Poll;
  private readonly _root: Root;
}

export namespace LessonsPanel {
  export interface IOptions {
    store: ILessonStore;
    commands: CommandRegistry;
    /** They were moved into another panel, or are back. */
    onMoved: () => void;
    /** Whether something else shows how far the learner is. */
    isShownElsewhere: () => boolean;
  }
}
