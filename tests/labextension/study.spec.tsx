import { Sanitizer } from '@jupyterlab/apputils';
import { MimeModel } from '@jupyterlab/rendermime';
import { Widget } from '@lumino/widgets';
import * as fs from 'fs';
import * as path from 'path';
import { act } from 'react';

import type { EventsNoted } from '../../labextension/src/protocol/messages';
import type { IQuestion } from '../../labextension/src/study/payload';
import { StudyOutput } from '../../labextension/src/study/studyoutput';
import type { StudyEvent } from '../../labextension/src/study/outputcontext';

const MIME = 'application/vnd.gpucluster.lesson.v1+json';
const vectors = JSON.parse(
  fs.readFileSync(path.join(__dirname, '..', 'lessons', 'study', 'vectors.json'), 'utf-8')
) as { questions: { question: IQuestion; right: (string | string[])[] }[] };
const several = vectors.questions.find(({ question }) => question.type === 'several')!;
const text = vectors.questions.find(({ question }) => question.type === 'text')!;

let output: StudyOutput;
let reported: StudyEvent[];
let opened: string[];
let asked: string[];
let answer: EventsNoted | null;

async function draw(content: unknown, more: Record<string, string> = {}): Promise<void> {
  await act(async () => {
    await output.renderModel(
      new MimeModel({ trusted: false, data: { [MIME]: content as never, ...more } })
    );
  });
}

function button(label: string): HTMLButtonElement {
  const found = [...output.node.querySelectorAll('button')].find(
    one => (one.getAttribute('aria-label') ?? one.textContent) === label
  );
  if (found === undefined) {
    throw new Error(`no button ${label}: ${output.node.textContent}`);
  }
  return found;
}

async function press(label: string): Promise<void> {
  await act(() => {
    button(label).click();
    return Promise.resolve();
  });
}

async function type(input: HTMLInputElement, value: string): Promise<void> {
  await act(() => {
    const setter = Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, 'value')?.set;
    setter?.call(input, value);
    input.dispatchEvent(new Event('input', { bubbles: true }));
    return Promise.resolve();
  });
}

async function key(node: Element, name: string, more: KeyboardEventInit = {}): Promise<void> {
  await act(() => {
    node.dispatchEvent(new KeyboardEvent('keydown', { key: name, bubbles: true, ...more }));
    return Promise.resolve();
  });
}

const quizOf = (mode: string, ...questions: IQuestion[]): unknown => ({
  kind: 'quiz',
  schema_version: 1,
  id: '91',
  title: 'Quiz: sums',
  mode,
  questions
});
const said = (): string =>
  [...output.node.querySelectorAll('[role="status"]')].map(node => node.textContent).join('|');

beforeEach(() => {
  reported = [];
  opened = [];
  asked = [];
  answer = null;
  output = new StudyOutput({
    rendering: {
      mimeType: MIME,
      sanitizer: new Sanitizer(),
      resolver: null,
      linkHandler: null,
      latexTypesetter: null,
      markdownParser: { render: source => Promise.resolve(`<p>${source}</p>`) }
    },
    report: events => {
      reported.push(...events);
      return Promise.resolve(answer);
    },
    open: link => {
      opened.push(link);
    },
    ask: (_, expression) => {
      asked.push(expression);
      return Promise.resolve('Count **bytes**.');
    }
  });
  Widget.attach(output, document.body);
});

afterEach(() => {
  act(() => output.dispose());
});

describe('a practice quiz', () => {
  it('judges an answer, says why, and tells the server', async () => {
    await draw(quizOf('practice', several.question));
    const right = several.right[0] as string[];
    const boxes = [...output.node.querySelectorAll<HTMLInputElement>('[type="checkbox"]')];
    const wrong = several.question.options.findIndex(option => !right.includes(option.id));
    await act(() => {
      boxes[wrong].click();
      return Promise.resolve();
    });
    await press('Check');
    expect(said()).toContain('Incorrect. Try again.');
    expect(reported).toEqual([{ kind: 'question', id: several.question.id, right: false }]);
    await act(() => {
      boxes[wrong].click();
      return Promise.resolve();
    });
    for (const id of right) {
      await act(() => {
        boxes[several.question.options.findIndex(option => option.id === id)].click();
        return Promise.resolve();
      });
    }
    await press('Check');
    expect(said()).toContain('Correct.');
    expect(reported[1]).toMatchObject({ right: true });
    expect(output.node.textContent).toContain('1 of 1 right');
    await press(`Covered in: ${several.question.link}`);
    expect(opened).toEqual([several.question.link]);
  });

  it('takes typed answers, and Enter for the button', async () => {
    await draw(quizOf('practice', text.question));
    const entry = output.node.querySelector<HTMLInputElement>('[type="text"]')!;
    expect(button('Check').disabled).toBe(true);
    await type(entry, 'something else');
    await key(entry, 'Enter');
    await key(entry, 'Enter');
    expect(said()).toContain('Incorrect');
    expect(reported).toHaveLength(1);
    await press('Show the answer');
    expect(said()).toContain('This is the answer');
    expect(entry.readOnly).toBe(true);
  });

  it('keeps what was chosen when the same is drawn again', async () => {
    await draw(quizOf('practice', text.question));
    await type(output.node.querySelector<HTMLInputElement>('[type="text"]')!, 'ring');
    await draw(quizOf('practice', text.question));
    expect(output.node.querySelector<HTMLInputElement>('[type="text"]')!.value).toBe('ring');
    await draw(quizOf('practice', { ...text.question, stem: 'Another' }));
    expect(output.node.querySelector<HTMLInputElement>('[type="text"]')!.value).toBe('');
  });
});

describe('an exam', () => {
  it('tells nothing before it is handed in', async () => {
    await draw(quizOf('exam', several.question, text.question));
    await type(output.node.querySelector<HTMLInputElement>('[type="text"]')!, 'RING');
    expect(output.node.textContent).toContain('1 of 2 answered');
    await press('Submit');
    expect(said()).toContain('1 question has no answer yet.');
    expect(reported).toEqual([]);
    await press('Submit anyway');
    expect(said()).toContain('1 of 2 right.');
    expect(reported).toEqual([
      { kind: 'exam', answers: { [several.question.id]: false, [text.question.id]: true } }
    ]);
    expect(document.activeElement?.textContent).toContain('1 of 2 right.');
  });

  it('takes questions named like what every object has', async () => {
    const named = (id: string): IQuestion => ({ ...text.question, id });
    await draw(quizOf('exam', named('constructor'), named('toString')));
    expect(output.node.textContent).toContain('0 of 2 answered');
    await type(output.node.querySelector<HTMLInputElement>('[type="text"]')!, 'RING');
    expect(output.node.textContent).toContain('1 of 2 answered');
    await press('Submit');
    await press('Submit anyway');
    expect(reported).toEqual([{ kind: 'exam', answers: { constructor: true, toString: false } }]);
  });
});

describe('cards', () => {
  const card = (number: number): unknown => ({
    id: `91.c${number}`,
    topic: 'sums',
    link: '91.1',
    front: `front ${number}`,
    back: `back ${number}`,
    name: null
  });
  const cards = {
    kind: 'cards',
    schema_version: 1,
    id: '91',
    title: 'Cards',
    cards: [card(1), card(2)]
  };

  it('show the back only when turned, and come again until they are known', async () => {
    await draw(cards);
    expect(output.node.textContent).not.toContain('back 1');
    await press('Flip the card');
    expect(output.node.textContent).toContain('back 1');
    expect(document.activeElement?.textContent).toBe('I knew it');
    await press('Not yet');
    expect(said()).toContain('You will see it again in this round.');
    await press('Flip the card');
    await press('I knew it');
    expect(output.node.textContent).toContain('front 1');
    await press('Flip the card');
    await press('I knew it');
    expect(output.node.textContent).toContain('You knew 1 of 2 immediately.');
    // Known in the second go is not known.
    expect(reported).toEqual([
      { kind: 'card', id: '91.c1', known: false },
      { kind: 'card', id: '91.c2', known: true }
    ]);
  });

  it('say when they come again', async () => {
    const day = new Date(Date.now() + 2 * 86_400_000);
    const iso = `${day.getFullYear()}-${`${day.getMonth() + 1}`.padStart(2, '0')}-${`${day.getDate()}`.padStart(2, '0')}`;
    answer = { noted: 1, due: { '91.c1': iso } };
    await draw(cards);
    await press('Flip the card');
    await press('I knew it');
    expect(said()).toContain('Due again in 2 days.');
  });
});

describe('lines to put in order', () => {
  const problem = {
    kind: 'parsons',
    schema_version: 1,
    exercise: '91.1',
    title: 'Order',
    prompt: 'Put in order.',
    indent: true,
    lines: ['A', 'B', 'C'].map(id => ({ id, text: `line ${id}` })),
    salt: '00',
    locked: ''
  };
  const program = (): (string | null)[] =>
    [...output.node.querySelectorAll('[role="option"]')].map(node =>
      node.getAttribute('aria-label')
    );

  it('are moved and indented with the keyboard, and every step is said', async () => {
    await draw(problem);
    await press('Put in line A: line A');
    await press('Put in line B: line B');
    const list = output.node.querySelector('[role="listbox"]')!;
    await key(list, 'ArrowUp', { altKey: true });
    expect(program()).toEqual(['B, indented 0: line B', 'A, indented 0: line A']);
    expect(said()).toContain('Line B is now 1 of 2, indented 0.');
    await key(list, 'ArrowDown');
    expect(list.getAttribute('aria-activedescendant')).toMatch(/A$/);
    await key(list, 'ArrowRight');
    expect(program()[1]).toBe('A, indented 1: line A');
    expect(output.node.textContent).toContain('check("91.1", [("B", 0), ("A", 1)])');
    await key(list, 'Delete');
    expect(program()).toEqual(['B, indented 0: line B']);
    expect(said()).toContain('Line A was removed from the program.');
  });

  it('say so when they cannot be judged here', async () => {
    await draw(problem);
    await press('Put in line A: line A');
    await press('Check the order');
    expect(said()).toContain('cannot be checked here');
    expect(reported).toEqual([]);
  });
});

describe('what comes from elsewhere', () => {
  it('leaves the keys to what has the focus', async () => {
    await draw(quizOf('practice', text.question));
    const entry = output.node.querySelector<HTMLInputElement>('[type="text"]')!;
    entry.focus();
    expect(entry.hasAttribute('data-lm-suppress-shortcuts')).toBe(true);
  });

  it('is shown as text, never as markup', async () => {
    await draw({
      kind: 'check',
      exercise: '91.1',
      title: '<img src=x onerror=alert(1)>',
      state: 'failed',
      findings: [{ expected: 'It `holds`', passed: false, observed: '<script>alert(1)</script>' }],
      message: '',
      next_step: ''
    });
    expect(output.node.querySelector('img, script')).toBeNull();
    expect(output.node.querySelector('.gpc-Findings code')?.textContent).toBe('holds');
    expect(output.node.textContent).toContain('<script>alert(1)</script>');
  });

  it('runs nothing but hints', async () => {
    const failed = {
      kind: 'check',
      title: 'Sum',
      state: 'failed',
      findings: [],
      message: '',
      next_step: ''
    };
    await draw({ ...failed, exercise: "91.1') or evil('", n_hints: 3, n_hints_seen: 0 });
    expect(output.node.querySelector('.gpc-Help')).toBeNull();
    await draw({ ...failed, exercise: '91.1', n_hints: 3, n_hints_seen: 0 });
    expect(button('Hint 2').disabled).toBe(true);
    await press('Hint 1');
    expect(asked).toEqual([expect.stringMatching(/\.hint\('91\.1', 1\)$/)]);
    expect(button('Hint 1').getAttribute('aria-expanded')).toBe('true');
    expect(button('Hint 2').disabled).toBe(false);
    await press('Hint 1');
    expect(output.node.querySelector('.gpc-Help-text')).toBeNull();
    await press('Hint 1');
    expect(output.node.querySelector('.gpc-Help-text')).not.toBeNull();
    await press('Solution');
    expect(asked).toHaveLength(2);
    await press('Skip the remaining hints?');
    expect(asked[2]).toMatch(/\.solution\('91\.1', anyway=True\)$/);
    await draw({ ...failed, exercise: '91.1', state: 'passed', n_hints: 3, n_hints_seen: 1 });
    expect(output.node.querySelector('.gpc-Help')).toBeNull();
  });

  it('falls back to HTML without scripts', async () => {
    await draw(
      { kind: 'quiz', schema_version: 99 },
      { 'text/html': '<p onclick="x()">newer<script>x()</script></p>' }
    );
    expect(output.node.textContent).toBe('newer');
    expect(output.node.innerHTML).not.toMatch(/script|onclick/);
    await draw({ kind: 'unheard' }, { 'text/plain': 'plain <b>text</b>' });
    expect(output.node.textContent).toContain('plain <b>text</b>');
  });

  it.each([
    [12, 3.4, 'Your guess is 3.5 × the real value.'],
    [3.4, 12, 'The real value is 3.5 × your guess.'],
    [3, 3, 'Exactly.'],
    [100, 101, 'Very close.'],
    [null, 3, 'You made no prediction'],
    [100, 1, 'Your guess is 100 × the real value.'],
    [1, 4, 'The real value is 4 × your guess.'],
    ['yes', 'no', 'Can you explain why?'],
    [1, 'no', 'Can you explain why?'],
    [0, 3, 'Can you explain why?']
  ])('compares %p with %p', async (predicted, observed, words) => {
    await draw({ kind: 'prediction', question: '91.a', predicted, observed, unit: 'MB' });
    expect(output.node.textContent).toContain(words);
    const bars = output.node.querySelectorAll('.gpc-Prediction-bar').length;
    expect(bars).toBe(typeof predicted === 'string' || typeof observed === 'string' ? 0 : 2);
  });

  it.each([
    ['processes', 'process'],
    ['copies', 'copy'],
    ['tasks', 'task'],
    ['times', 'times'],
    ['ms', 'ms'],
    ['MB', 'MB'],
    ['rows per chunk', 'rows per chunk']
  ])('says one of %s in the singular', async (unit, one) => {
    await draw({ kind: 'prediction', question: '91.a', predicted: 1, observed: 2, unit });
    const [predicted, observed] = output.node.querySelectorAll('.gpc-Prediction-row dd');
    expect([predicted.textContent, observed.textContent]).toEqual([`1 ${one}`, `2 ${unit}`]);
  });

  it('has no links where nothing can be opened', async () => {
    act(() => output.dispose());
    const advice = { title: 'Sums', score: 2, why: 'w', link: '91.1', cards: [], exercise: '91.2' };
    output = new StudyOutput({
      rendering: {
        mimeType: MIME,
        sanitizer: new Sanitizer(),
        resolver: null,
        linkHandler: null,
        latexTypesetter: null
      },
      report: () => Promise.resolve(null),
      ask: null,
      open: null
    });
    await draw({ kind: 'advice', items: [advice] });
    expect(output.node.textContent).toContain('Sums');
    expect(output.node.querySelector('button')).toBeNull();
  });
});
