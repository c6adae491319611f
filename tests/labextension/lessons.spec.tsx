import { CommandRegistry } from '@lumino/commands';
import { Signal } from '@lumino/signaling';
import { ServerConnection } from '@jupyterlab/services';
import { act } from 'react';
import { createRoot, type Root } from 'react-dom/client';

import * as CommandIDs from '../../labextension/src/actions/commandids';
import { ClassTables } from '../../labextension/src/classroom/classtab';
import { h } from '../../labextension/src/jsx';
import { findCell, readLink } from '../../labextension/src/lessons/links';
import { LessonList, LessonsLine } from '../../labextension/src/lessons/lessonlist';
import { LessonStore } from '../../labextension/src/lessons/lessonstore';
import type { ILessonStore } from '../../labextension/src/lessons/tokens';
import type {
  ClassView,
  LessonList as Listed,
  LessonModel
} from '../../labextension/src/protocol/messages';

function lesson(changes: Partial<LessonModel> = {}): LessonModel {
  return {
    id: '06',
    slug: '06-kmeans',
    title: 'K-means',
    minutes: 85,
    needs: 'cpu',
    objectives: ['count bytes'],
    exercises: [
      {
        id: '06.2',
        title: 'Assign',
        state: 'passed',
        attempts: 3,
        hints: 1,
        solution_seen: false
      },
      { id: '06.3', title: 'Sum', state: 'failed', attempts: 1, hints: 0, solution_seen: true }
    ],
    questions: { done: 2, total: 5 },
    cards: { done: 4, total: 8 },
    notebook: 'gpucluster-lessons/06-kmeans/06-kmeans.ipynb',
    recall: null,
    has_recall: true,
    ...changes
  };
}

function list(changes: Partial<Listed> = {}): Listed {
  return {
    folder: 'gpucluster-lessons',
    lessons: [lesson()],
    next: {
      title: 'Sum',
      why: 'It comes next.',
      link: '06.3',
      topic: null,
      cards: [],
      exercise: '06.3'
    },
    advice: [],
    progress: {
      path: 'gpucluster-lessons/gpucluster-progress.json',
      exists: true,
      message: null,
      exercises: { done: 1, total: 2 },
      questions: { done: 2, total: 5 },
      cards: { done: 4, total: 8 },
      shared_as: null
    },
    has_class: false,
    protocol_version: 2,
    ...changes
  };
}

describe('links', () => {
  it.each([
    ['06', { lesson: '06', exercise: null, anchor: null }],
    ['06.10', { lesson: '06', exercise: '06.10', anchor: null }],
    ['06#mean-of-means', { lesson: '06', exercise: null, anchor: 'mean-of-means' }],
    ['6', null],
    ['06.', null],
    ['06#', null],
    ['06#../../x', null],
    ['https://example.org/06', null],
    ['', null]
  ])('%p', (link, target) => {
    expect(readLink(link)).toEqual(target);
  });

  it('lead to the first cell of an exercise, or the one of that name', () => {
    const cells = [
      { id: 'start', exercise: null },
      { id: 'ex-06-2-markdown', exercise: '06.2' },
      { id: 'ex-06-2-exercise', exercise: '06.2' },
      { id: 'mean-of-means', exercise: null }
    ];
    const place = (link: string): number => findCell(cells, readLink(link)!);
    expect(place('06.2')).toBe(1);
    expect(place('06#mean-of-means')).toBe(3);
    expect(place('06.9')).toBe(-1);
    expect(place('06')).toBe(-1);
  });
});

describe('the store', () => {
  let asked: { method: string; path: string; body: string | null }[];
  let answers: Record<string, [number, unknown]>;

  function store(): LessonStore {
    const settings = ServerConnection.makeSettings({
      baseUrl: 'http://localhost/',
      fetch: async (input: RequestInfo) => {
        const request = input as Request;
        const path = new URL(request.url).pathname.replace('/gpucluster/api/', '');
        asked.push({ method: request.method, path, body: (await request.text()) || null });
        const [status, body] = answers[`${request.method} ${path}`] ?? [404, {}];
        return new Response(JSON.stringify(body), { status });
      }
    });
    return new LessonStore(settings);
  }

  beforeEach(() => {
    asked = [];
    answers = { 'GET lessons': [200, list()] };
  });

  it('tells once when something is new', async () => {
    const known = store();
    let changes = 0;
    known.changed.connect(() => (changes += 1));
    await known.refresh();
    await known.refresh();
    expect(changes).toBe(1);
    expect(known.isAvailable).toBe(true);
    expect(known.list?.lessons[0].id).toBe('06');
  });

  it('stays quiet where no server knows lessons', async () => {
    answers = {};
    const known = store();
    await known.refresh();
    expect([known.isAvailable, known.list]).toEqual([false, null]);
    expect(await known.report([{ kind: 'card', id: '06.c1', known: true }])).toBeNull();
  });

  it('keeps the list when the server is away for a moment', async () => {
    const known = store();
    await known.refresh();
    answers = {};
    await known.refresh();
    expect(known.list).not.toBeNull();
  });

  it('reports in the order in which things happened, even after a failure', async () => {
    answers['POST lessons/events'] = [200, { noted: 1, due: {} }];
    const known = store();
    const events = ['06.c1', '06.c2', '06.c3'];
    await Promise.all(events.map(id => known.report([{ kind: 'card', id, known: true }])));
    const bodies = asked.filter(one => one.method === 'POST').map(one => one.body ?? '');
    expect(bodies.map(body => /06\.c\d/.exec(body)?.[0])).toEqual(events);
  });

  it('asks for one lesson by its number only', async () => {
    answers['POST lessons/..%2F06/reset'] = [404, { code: 'x', message: 'No.', fields: [] }];
    await expect(store().reset('../06')).rejects.toThrow('No.');
  });
});

describe('in the panel', () => {
  let host: HTMLElement;
  let root: Root;
  let executed: [string, unknown][];
  let commands: CommandRegistry;

  async function draw(element: JSX.Element): Promise<void> {
    host = document.createElement('div');
    document.body.replaceChildren(host);
    root = createRoot(host);
    await act(() => {
      root.render(element);
      return Promise.resolve();
    });
  }

  async function show(
    shown: Listed | null,
    Shown: typeof LessonList | typeof LessonsLine = LessonList
  ): Promise<void> {
    const store = { list: shown, isAvailable: true } as unknown as ILessonStore;
    Object.assign(store, { changed: new Signal(store) });
    await draw(<Shown store={store} commands={commands} isTitled />);
  }

  async function press(label: string): Promise<void> {
    const found = [...host.querySelectorAll('button')].find(one =>
      [one.getAttribute('aria-label'), one.textContent].includes(label)
    );
    expect([label, found === undefined]).toEqual([label, false]);
    await act(() => {
      found?.click();
      return Promise.resolve();
    });
  }

  beforeEach(() => {
    executed = [];
    commands = new CommandRegistry();
    for (const id of Object.values(CommandIDs)) {
      const describedBy = { args: {} };
      commands.addCommand(id, { describedBy, execute: args => executed.push([id, args]) });
    }
  });

  afterEach(() => {
    act(() => root.unmount());
  });

  it('there is nothing where there are no lessons', async () => {
    await show(null);
    expect(host.textContent).toBe('');
  });

  it('the next step, each state in words, and the exact cell', async () => {
    await show(list());
    expect(host.textContent).toContain('Next: Sum');
    expect(host.textContent).toContain('1 of 2 exercises');
    await press('Details of lesson 06');
    expect(host.textContent).toContain('3 checks, 1 hint');
    const states = [...host.querySelectorAll('.gpc-ExerciseState')];
    expect(states.map(node => node.getAttribute('aria-label'))).toEqual([
      'passed',
      'not correct yet'
    ]);
    await press('Sum');
    await press('06 K-means');
    await press('Start lesson 06 over');
    await press('Recall copy of lesson 06');
    await press('Delete my progress…');
    expect(executed).toEqual([
      [CommandIDs.openLesson, { link: '06.3' }],
      [CommandIDs.openLesson, { link: '06' }],
      [CommandIDs.resetLesson, { lesson: '06' }],
      [CommandIDs.openRecall, { lesson: '06' }],
      [CommandIDs.deleteProgress, {}]
    ]);
  });

  it('in the panel of the clusters one line: where to continue, and the list', async () => {
    await show(list(), LessonsLine);
    expect(host.textContent).toBe('Continue lesson 06.3 · 1 of 2 exercises');
    await press('Continue lesson 06.3');
    await press('1 of 2 exercises');
    expect(executed).toEqual([
      [CommandIDs.openLesson, { link: '06.3' }],
      [CommandIDs.openLessons, {}]
    ]);
    const fresh = list();
    await show({ ...fresh, progress: { ...fresh.progress, exists: false } }, LessonsLine);
    expect(host.textContent).toContain('Start lesson 06.3');
  });

  it('offers only what is possible', async () => {
    const none = lesson({ notebook: null, has_recall: false, needs: 'gpu' });
    const fresh = list();
    await show({ ...fresh, lessons: [none], progress: { ...fresh.progress, exists: false } });
    await press('Details of lesson 06');
    const labels = [...host.querySelectorAll('button')].map(
      one => one.getAttribute('aria-label') ?? one.textContent
    );
    expect(labels).toContain('Copy all lessons');
    expect(labels).not.toContain('Start lesson 06 over');
    expect(labels).not.toContain('Recall copy of lesson 06');
    expect(labels).not.toContain('Delete my progress…');
    expect(labels).not.toContain('Class');
    expect(host.textContent).toContain('needs a GPU');
  });

  it('says what is wrong with the file, and who sees it', async () => {
    const fresh = list();
    const progress = { ...fresh.progress, message: 'It is damaged.', shared_as: '<b>Ada</b>' };
    await show({ ...fresh, progress });
    expect(host.textContent).toContain('It is damaged.');
    expect(host.textContent).toContain('The class sees your progress as “<b>Ada</b>”.');
  });

  it('a class: most stuck first, names as text', async () => {
    const exercise = {
      title: 't',
      attempts: 9,
      hints: 2,
      solutions: 1,
      stated_minutes: 5,
      minutes: null,
      timed: 0,
      failing: []
    };
    const view: ClassView = {
      folder: '/class',
      read_at: '2026-11-21T12:10:00+00:00',
      learners: [
        {
          name: '<img src=x>',
          lesson: '06',
          exercise: '06.3',
          state: 'failed',
          passed: 4,
          updated_at: '2026-11-21T12:05:00+00:00',
          failing: 'The sums add up'
        },
        {
          name: 'Bo',
          lesson: null,
          exercise: null,
          state: 'new',
          passed: 0,
          updated_at: null,
          failing: null
        }
      ],
      exercises: [
        { ...exercise, id: '06.2', passed: 2, stuck: 0 },
        {
          ...exercise,
          id: '06.3',
          passed: 0,
          stuck: 1,
          failing: [{ property: 'The sums add up', learners: 1 }]
        }
      ],
      problems: ['x.json was skipped: it is a link.']
    };
    await draw(<ClassTables view={view} />);
    const rows = [...host.querySelectorAll('tbody th')].map(node => node.textContent);
    expect(rows).toEqual(['06.3 t', '06.2 t', '<img src=x>', 'Bo']);
    expect(host.querySelector('img')).toBeNull();
    expect(host.textContent).toContain('5 min ago');
    expect(host.textContent).toContain('not started');
    expect(host.textContent).toContain('x.json was skipped');
  });
});
