import { testOf } from '#domain/test/given';
import { modelDecider, type SwitchModel } from './decide-model.js';
import type { ModelSwitched } from './events-model.js';

const [own, other, third] = ['a', 'b', 'c'].map((digit) => digit.repeat(64));
const command: SwitchModel = {
  type: 'switch',
  to: other,
  own,
  installed: [own, other],
  everyWorkerHoldsIt: true,
  fallingBack: [],
  acceptUncalibrated: false,
  operator: 'anna',
  reason: 'retrained',
  requestId: 'r1',
  at: 'T1',
};
const switched = (from: string, to: string, populations_falling_back: string[] = []): ModelSwitched => ({
  type: 'ModelSwitched',
  version: 1,
  data: { from, to, populations_falling_back, operator: 'anna', reason: 'retrained', request_id: 'r1', at: 'T1' },
});
const { given } = testOf(modelDecider);

describe('the live model', () => {
  it('given no switch, is the program’s own, and another installed one can replace it', () => {
    expect(given().state).toEqual({});
    expect(given().when(command)).toEqual({ events: [switched(own, other)] });
    expect(given(switched(own, other)).state).toEqual({ switched: switched(own, other).data });
  });

  it('is said once where a log begins', () => {
    const begin = { type: 'begin', model: own, requestId: 'beginning', at: 'T1' } as const;
    const decided = given().when(begin);
    expect(decided).toMatchObject({ events: [{ type: 'ModelSwitched', data: { from: own, to: own } }] });
    expect(given(switched(own, other)).when(begin)).toEqual({ events: [] });
  });

  it('is switched back by the same command', () => {
    expect(given(switched(own, other)).when({ ...command, to: own })).toEqual({
      events: [switched(other, own)],
    });
  });

  it('can be left for an installed one where it is not installed itself', () => {
    expect(given(switched(own, third)).when(command)).toEqual({ events: [switched(third, other)] });
  });

  it.each<[string, Partial<SwitchModel>, ModelSwitched[]]>([
    ['not_installed', { to: third, everyWorkerHoldsIt: false }, []],
    ['already_live', { to: own }, []],
    ['already_live', { everyWorkerHoldsIt: false }, [switched(own, other)]],
    ['worker_lacks_model', { everyWorkerHoldsIt: false, fallingBack: ['lab-a'], acceptUncalibrated: true }, []],
    ['populations_fall_back', { fallingBack: ['lab-a'] }, []],
  ])('refuses with %s', (refusal, change, events) => {
    expect(given(...events).when({ ...command, ...change })).toEqual({ refusal });
  });

  it('is switched though populations fall back where the operator accepts that, and the event names them', () => {
    const fallingBack = ['lab-a', 'lab-b'];
    expect(given().when({ ...command, fallingBack, acceptUncalibrated: true })).toEqual({
      events: [switched(own, other, fallingBack)],
    });
  });
});
