// Draws a picture, or a spectrum with the painted mask.
uniform highp sampler2D picture;
uniform highp sampler2D mask; // gains
uniform int kind;             // 0: linear light, 1: display values, 2: magnitudes
uniform float brightness;     // less than 1 behind the help text

in vec2 at;
out vec4 pixel;

// The same curve as scene_tone.
vec3 tone(vec3 light)
{
    vec3 shown = mix(light, 0.6 + 0.4 * (1.0 - exp((0.6 - light) / 0.4)), step(0.6, light));
    shown = max(shown, 0.0);
    return mix(1.055 * pow(shown, vec3(1.0 / 2.4)) - 0.055, 12.92 * shown, step(shown, vec3(0.0031308)));
}

void main()
{
    vec3 value = texture(picture, at).rgb;
    if (kind == 0)
        value = tone(value);
    if (kind == 2) {
        // Removed frequencies are tinted red.
        float gain = texture(mask, at).r;
        value = value.rrr;
        value = mix(vec3(0.26, 0.03, 0.03) + 0.3 * value, value, gain);
    }
    pixel = vec4(brightness * value, 1.0);
}
