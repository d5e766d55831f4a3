// Draws the part of a picture that a pane shows.
uniform highp sampler2D picture;
uniform vec4 part;        // left, top, right, bottom of the pane in the picture, where the picture is 0 to 1
uniform int kind;         // 0: linear light, 1: display values, 2: those with gaps where alpha is 0
uniform float brightness; // less than 1 behind the help text

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
    vec2 place = mix(part.xy, part.zw, at);
    vec4 value = texture(picture, place);
    if (any(lessThan(place, vec2(0.0))) || any(greaterThan(place, vec2(1.0))))
        discard;
    if (kind == 2 && value.a < 0.5)
        discard;
    pixel = vec4(brightness * (kind == 0 ? tone(value.rgb) : value.rgb), 1.0);
}
