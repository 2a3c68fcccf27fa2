package scenario

import (
	"fmt"

	"example.com/agentworld/world"
)

// beltFile is the [belt] table of a scenario.
type beltFile struct {
	IDPrefix       string               `toml:"id_prefix"`
	SeedOffset     int64                `toml:"seed_offset"`
	Count          int64                `toml:"count"`
	Per1000KM3     int64                `toml:"per_1000_km3"`
	MinSpacingCM   int64                `toml:"min_spacing_cm"`
	RadiusMinCM    int64                `toml:"radius_min_cm"`
	RadiusMaxCM    int64                `toml:"radius_max_cm"`
	RadiusExponent *int64               `toml:"radius_exponent"`
	RegenPPM       int64                `toml:"regen_ppm"`
	Charted        bool                 `toml:"charted"`
	Box            *boxFile             `toml:"box"`
	Materials      []world.BeltMaterial `toml:"materials"`
}

// boxFile is the part of space that holds a belt.
type boxFile struct {
	// From and To are opposite corners, both included.
	From pointFile `toml:"from"`
	To   pointFile `toml:"to"`
}

// pointFile is a position in centimetres.
type pointFile struct {
	// X, Y and Z are in centimetres from the origin of space.
	X int64 `toml:"x_cm"`
	Y int64 `toml:"y_cm"`
	Z int64 `toml:"z_cm"`
}

// defaultRadiusExponent makes a fragment of twice the radius eight times as rare.
const defaultRadiusExponent = 3

// belt converts the table, unchecked except for what would be lost. A box that is
// given but empty would read as none, so it is refused here.
func (f *beltFile) belt() (world.Belt, error) {
	b := world.Belt{
		IDPrefix: f.IDPrefix, SeedOffset: uint64(f.SeedOffset), Count: f.Count, Per1000KM3: f.Per1000KM3,
		MinSpacingCM: f.MinSpacingCM, RadiusMinCM: f.RadiusMinCM, RadiusMaxCM: f.RadiusMaxCM,
		RadiusExponent: defaultRadiusExponent, Materials: f.Materials, RegenPPM: f.RegenPPM, Charted: f.Charted,
	}
	if f.IDPrefix == "" {
		b.IDPrefix = "frag"
	}
	if f.RadiusExponent != nil {
		b.RadiusExponent = *f.RadiusExponent
	}
	if f.SeedOffset < 0 {
		return b, fmt.Errorf("belt.seed_offset: %d is negative", f.SeedOffset)
	}
	if f.Box != nil {
		b.Box = world.Box{From: world.Position(f.Box.From), To: world.Position(f.Box.To)}
		if b.Box == (world.Box{}) {
			return b, fmt.Errorf("belt.box: is empty")
		}
	}
	return b, nil
}
