import { describe, expect, it } from '@jest/globals';
import { Reviews, type ReviewsDependencies } from './reviews.js';

describe('who looks at an item', () => {
  it('is forgotten 45 seconds after he last asked for it', () => {
    let ms = 0;
    const reviews = new Reviews({ now: () => new Date(ms) } as ReviewsDependencies);
    reviews.lookedAtBy('clm_1', 'olga');
    ms = 40_000;
    reviews.lookedAtBy('clm_2', 'olga');
    expect(reviews.lookedAtBy('clm_1', 'otto')).toEqual(['olga']);
    ms = 46_000;
    expect(reviews.lookedAtBy('clm_1', 'anna')).toEqual(['otto']);
    expect(reviews.lookedAtBy('clm_2', 'anna')).toEqual(['olga']);
  });
});
